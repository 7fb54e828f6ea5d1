import { type Static, Type } from 'typebox'
import { listParameters, RecordList } from '../../delivery/list-pages.ts'
import { ClosedObject, Count, Nullable, OneOf, RequestId, Timestamp } from '../../kernel/shapes.ts'

const Figure = Type.Number()

export const PageQuery = ClosedObject(listParameters)
export type PageQuery = Static<typeof PageQuery>

const Sizes = ClosedObject({ stores: Count('Stores.'), contacts: Count('People at stores.') })

/** The engine that answers searches, and the state of its index. */
const SearchState = ClosedObject({
  engine: OneOf(['memory', 'postgres']),
  reason: Nullable(Type.String({ description: 'Why memory does not answer.' })),
  batch: Nullable(Count('The batch of the index.')),
  lag: Nullable(Count('Batches that are not in the index yet.')),
  behind_seconds: Nullable(Figure),
  index: Nullable(
    ClosedObject({
      stores: Count('Stores in the index.'),
      contacts: Count('People in the index.'),
      bytes: Count('Memory.'),
      segments: Count('Segments.'),
      delta_stores: Count('Stores outside of the largest segments.'),
      dead_stores: Count('Dead copies that wait for a merge.'),
    }),
  ),
  load: Nullable(ClosedObject({ from: OneOf(['postgres', 'snapshot']), seconds: Figure })),
  snapshot: Nullable(
    ClosedObject({ batch: Count('Its batch.'), bytes: Count('Its size.'), written_at: Timestamp('When.') }),
  ),
})

export const OperatorCatalogueReply = ClosedObject({
  object: Type.Literal('catalogue'),
  counted_at: Timestamp('When the sizes were counted.'),
  live: Sizes,
  test: Sizes,
  taxonomy_version: Count('Version of the taxonomy.'),
  batches: Type.Array(
    ClosedObject({
      batch: Count('Its number.'),
      written_at: Nullable(Timestamp('When; null before this was kept.')),
      stores: Count('Stores that it changed last.'),
    }),
  ),
  search: SearchState,
  request_id: RequestId,
})
export type OperatorCatalogueReply = Static<typeof OperatorCatalogueReply>

export const ErasureBody = ClosedObject({
  email: Type.Optional(Type.String({ minLength: 3, maxLength: 320 })),
  contact: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'ct_live_…' })),
})
export type ErasureBody = Static<typeof ErasureBody>

export const ErasureReply = ClosedObject({
  object: Type.Literal('erasure'),
  erased: Count('Contacts that were erased.'),
  request_id: RequestId,
})
export type ErasureReply = Static<typeof ErasureReply>

const maxSuppressionText = 200_000

export const SuppressionsBody = ClosedObject({
  text: Type.String({
    minLength: 1,
    maxLength: maxSuppressionText,
    description: 'One email address, phone number, profile or domain per line.',
  }),
})

export const maxShownRejects = 100

export const SuppressionsReply = ClosedObject({
  object: Type.Literal('suppressions_added'),
  read: Count('Lines.'),
  added: Count('New ones.'),
  unchanged: Count('Those known before.'),
  rejected: Count('Lines that are nothing to suppress.'),
  rejects: Type.Array(ClosedObject({ line: Count('Number of the line.'), reason: Type.String() }), {
    maxItems: maxShownRejects,
  }),
  erased: Count('Contacts that were erased.'),
  request_id: RequestId,
})
export type SuppressionsReply = Static<typeof SuppressionsReply>

export const SuppressionCountsReply = ClosedObject({
  object: Type.Literal('suppressions'),
  kinds: Type.Array(
    ClosedObject({
      kind: OneOf(['email', 'phone', 'profile', 'domain', 'record']),
      total: Count('How many.'),
      last_added_at: Timestamp('The newest.'),
    }),
  ),
  request_id: RequestId,
})
export type SuppressionCountsReply = Static<typeof SuppressionCountsReply>

export const PrivacyRequestListReply = RecordList(
  ClosedObject({
    entry: Count('Number of the request.'),
    requested_at: Timestamp('When the link was asked for.'),
    expires_at: Timestamp('When the link ends.'),
    opened_at: Nullable(Timestamp('When the link was opened first.')),
    ended_at: Nullable(Timestamp('When the request ended.')),
    outcome: OneOf(['waiting', 'opened', 'erased', 'nothing_held', 'kept', 'expired', 'mail_failed']),
    erased: Nullable(Count('Contacts that were erased.')),
  }),
)
export type PrivacyRequestListReply = Static<typeof PrivacyRequestListReply>

export const WebhookListReply = RecordList(
  ClosedObject({
    id: Type.String(),
    type: Type.String(),
    received_at: Timestamp('When it came first.'),
    handled_at: Nullable(Timestamp('When it was handled.')),
    outcome: Nullable(Type.String()),
  }),
)
export type WebhookListReply = Static<typeof WebhookListReply>

export const SystemReply = ClosedObject({
  object: Type.Literal('system'),
  problem: Nullable(Type.String({ description: 'Why requests cannot be answered, as /readyz says.' })),
  uptime_seconds: Count('Since this process started.'),
  memory_bytes: Count('Memory of this process.'),
  database: ClosedObject({
    version: Type.String(),
    size_bytes: Count('Its size.'),
    is_embedded: Type.Boolean(),
    schema_version: Count('Its newest migration.'),
    connections: ClosedObject({
      max: Count('Of this process.'),
      total: Count('Open.'),
      idle: Count('Unused.'),
      waiting: Count('Statements that wait for one.'),
    }),
  }),
  billing: ClosedObject({
    provider: OneOf(['stripe', 'stripe_test', 'standin', 'closed']),
    address: Nullable(Type.String({ description: 'The address of the stand-in.' })),
    last_event_at: Nullable(Timestamp('When the last webhook event came.')),
    open_events: Count('Events of more than a minute ago that are not handled.'),
  }),
  search: SearchState,
  disk: Nullable(ClosedObject({ free_bytes: Count('Free.'), total_bytes: Count('In all.') })),
  clock_skew_seconds: Nullable(Figure),
  mail: Type.Boolean({ description: 'Whether mail is set up.' }),
  versions: ClosedObject({ storedex: Type.String(), node: Type.String() }),
  request_id: RequestId,
})
export type SystemReply = Static<typeof SystemReply>
export type SearchState = Static<typeof SearchState>
