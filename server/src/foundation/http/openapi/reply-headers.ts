const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' as const, format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  example,
})

const text = (description: string, example: string, pattern: string, maxLength = 255) => ({
  description,
  schema: { type: 'string' as const, pattern, maxLength },
  example,
})

/** The reply headers that the documents describe, for their components. */
export const replyHeaders = {
  'X-Request-Id': text('Names the reply.', 'req_8fK2mXo3QpLr7TzV1aBcD4Ef', '^req_[A-Za-z0-9]{20,}$'),
  'RateLimit-Policy': text(
    'The limits in force: q requests in w seconds. On replies to an accepted key whose body could be read.',
    '"requests_per_minute";q=60;w=60, "requests_per_day";q=5000;w=86400',
    '^[ -~]*$',
  ),
  RateLimit: text(
    'What is left of each limit (r), and the seconds until it is whole again (t). On replies to an accepted key whose body could be read.',
    '"requests_per_minute";r=42;t=31, "requests_per_day";r=4211;t=39601',
    '^[ -~]*$',
  ),
  'X-RateLimit-Limit': count('Requests of the limit with the smaller share left.', 60),
  'X-RateLimit-Remaining': count('Requests left of that limit.', 42),
  'X-RateLimit-Reset': count('When that limit is whole again, in seconds since 1970.', 1_793_491_200),
  'Retry-After': count('Seconds until a retry can succeed.', 23),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer', '^Bearer$', 6),
  'X-Search-Rows-Remaining': count('Search rows left in the period.', 24_975),
  'X-Store-Exports-Remaining': count('Store exports left in the period.', 4_975),
  'X-Contact-Credits-Remaining': count('Contact credits left in the period. Not on a replayed reply.', 999),
  'X-Search-End': text(
    'On the last page that a search may return, where more matches: why it ends. Then has_more is false.',
    'This search has returned 10,000 rows, the most it may; add a filter to see others.',
    '^[ -~]*$',
  ),
  'Idempotent-Replayed': text('On a reply that was stored for an earlier request with this key.', 'true', '^true$', 4),
  ETag: text('Names this version of the content.', '"PqLmXzTbVnRwKdHcGfDsWqRt"', '^"[!-~]*"$'),
  'Accept-Ranges': text('A part of the file can be asked for with Range.', 'bytes', '^bytes$', 5),
  'Content-Range': text('Which bytes of the file these are, of how many.', 'bytes 0-1023/8192', '^bytes [0-9*/-]+$'),
  'Content-Disposition': text(
    'A name for the file.',
    'attachment; filename="storedex-stores-2026-11-10.csv"',
    '^attachment; filename="[!-~]+"$',
  ),
} as const

export type ReplyHeader = keyof typeof replyHeaders

/** Headers of replies to a key whose rate windows are known. */
export const limitHeaders: readonly ReplyHeader[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]
