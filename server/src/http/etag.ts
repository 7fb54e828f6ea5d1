/** Whether an `If-None-Match` header names the tag: in a list, as a weak tag too, or by `*`. */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  for (const [, tag] of header.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === etag) return true
  return false
}
