import qs from 'qs'

/** A form or a query with brackets, as nested hashes and lists of text. */
export function parseForm(encoded: string): Record<string, unknown> {
  return qs.parse(encoded, {
    // Names such as `constructor` are ordinary here, so nothing may be inherited.
    plainObjects: true,
    arrayLimit: 200,
    depth: 10,
    parameterLimit: 2_000,
    throwOnLimitExceeded: false,
  })
}
