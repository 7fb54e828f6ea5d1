import { type Static, Type } from 'typebox'
import { ClosedObject, Count, Nullable, OneOf, RequestId, Timestamp } from '../../../foundation/kernel/shapes.ts'

const Figure = Type.Number()

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
