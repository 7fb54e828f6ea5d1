export type { ContactQuery, ContactSortKey, MomentRange, PersonQuery, StoreQuery, StoreSortKey } from './query.ts'
export { everyStore } from './query.ts'
export { scanContacts, scanStores } from './scan/find.ts'
export { findDocument } from './scan/resolve.ts'
export { buildSegment } from './segments/build.ts'
export { mergeSegments } from './segments/merge.ts'
export { type LiveSegment, type Segment, type StagedStores, segmentBytes, wordsOf } from './segments/segment.ts'
export {
  applyMerge,
  countDead,
  dropDeadSegments,
  planMerge,
  replaceStores,
  type SegmentList,
} from './segments/segment-list.ts'
export { reportMemoryToGc } from './segments/shared-arrays.ts'
export {
  type CatalogueSnapshot,
  decodeSnapshot,
  decodeSnapshotHeader,
  encodeSnapshot,
  SnapshotError,
} from './segments/snapshot.ts'
export {
  contactsPerStore,
  isPersonToken,
  packTraits,
  rankInStore,
  type Seniority,
  seniorities,
  signatureToken,
  traitsCount,
  traitsToken,
  unpackTraits,
} from './traits.ts'
