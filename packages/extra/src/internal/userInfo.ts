/** User and password before the host of a URL that may have placeholders, and so is no URL yet. */

const USER_INFO = /^(\s*https?:\/\/)([^/?#\\]*)@/i

export const withoutUserInfo = (url: string): string => url.replace(USER_INFO, "$1")

/** `user:password`, as it was written. */
export const userInfoOf = (url: string): string | undefined => USER_INFO.exec(url)?.[2]
