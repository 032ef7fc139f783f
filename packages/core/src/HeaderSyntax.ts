/**
 * What HTTP allows in a header (RFC 9110, 5.1 and 5.5). It is looked at before a request is made: the platform's own
 * refusal would be a defect, and may show the value.
 *
 * @since 0.1.0
 */

/**
 * @category guards
 * @since 0.1.0
 */
export const isHeaderName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)

/**
 * @category guards
 * @since 0.1.0
 */
// oxlint-disable-next-line no-control-regex -- which of them HTTP allows in a header
export const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

/**
 * Whether a header is the connection's, which nobody from outside may name: with it a request would end elsewhere, or be for
 * another host.
 *
 * @category guards
 * @since 0.1.0
 */
export const isOfConnection = (name: string): boolean =>
  /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i.test(name)
