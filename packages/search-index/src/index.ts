export type { ContactSortKey, ContactQuery, MomentRange, PersonQuery, StoreSortKey, StoreQuery } from './query.ts'
export { everyStore } from './query.ts'
export { scanContacts, scanStores } from './scan/find.ts'
export { findDocument } from './scan/resolve.ts'
export { buildSegment } from './segments/build.ts'
export { mergeSegments } from './segments/merge.ts'
export { type LiveSegment, type Segment, type StagedStores, segmentBytes, wordsOf } from './segments/segment.ts'
export { countDead, dropDeadSegments, planMerge, replaceStores, type SegmentList, applyMerge } from './segments/segment-list.ts'
export { reportMemoryToGc } from './segments/shared-arrays.ts'
export {
  type CatalogueSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  decodeSnapshotHeader,
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
