/** What a reader of the reference has to know of every operation, in Markdown: the `info.description` of the document. */
export const introduction = `Store and contact intelligence for e-commerce. Searches and lookups answer from the catalogue alone. The [tutorial](/docs/afternoon) leads from a key to a revealed contact; the [guide](/docs/guide) explains more, with examples.

**Authentication.** Every request needs an API key as a bearer token: \`Authorization: Bearer sdx_live_…\`. A key belongs to one account, which needs a plan with API access for everything but billing.

**Scopes.** A key may do what its scopes allow. Each operation names those that it needs; without them it answers 403 \`insufficient_scope\`, and \`param\` is the missing scope.

**Errors.** Every error has one shape: a stable \`code\` for programs, a \`message\` for people, often a \`param\`, and the \`request_id\` of the reply. Each operation lists the codes that it can answer with. On every path, \`route_not_found\` (404), \`method_not_allowed\` (405) and \`header_too_large\` (431) can occur too, and 400 \`invalid_request\` for a request that is not valid HTTP.

**Paging.** Lists have \`has_more\` and \`next_cursor\`: send it as \`cursor\`, with the same filters, for the next page.

**Limits.** Requests are limited by the minute and by the day; replies to an accepted key say in \`RateLimit\` headers what is left. Search rows, store exports and contact credits are counted by period. Each operation says what it costs. A 429 names the limit in \`param\` and says in \`Retry-After\` when to try again.

**Idempotency.** Where an operation takes an \`Idempotency-Key\`, a repeat within 24 hours gets the first reply and spends nothing.

**Test mode.** A key that begins with \`sdx_test_\` sees the sandbox, with invented stores and people, and has counters and credits of its own.

**Keeping data.** Revealed contacts are personal data: keep them out of logs and analytics, and erase what you no longer need.

**Growth.** New properties, values and error codes may be added to replies: ignore what you do not know. Requests with unknown properties are refused.`
