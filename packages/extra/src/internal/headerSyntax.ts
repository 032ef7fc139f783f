/** What HTTP allows in a header (RFC 9110, 5.1 and 5.5). The platform's own refusal would be a defect. */

export const isHeaderName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)

// oxlint-disable-next-line no-control-regex -- which of them HTTP allows in a header
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
