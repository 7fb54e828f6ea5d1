export type { ContactPosition, ContactQuery, MomentRange, PersonQuery, StorePosition, StoreQuery } from './query.ts'
export { everyStore } from './query.ts'
export { findContactPositions, findStorePositions } from './scan/find.ts'
export { findDocument } from './scan/resolve.ts'
export { buildSegment } from './segments/build.ts'
export { mergeSegments } from './segments/merge.ts'
export { type LiveSegment, type Segment, type StagedStores, segmentBytes, wordsOf } from './segments/segment.ts'
export { countDead, dropDead, planMerge, replaceStores, type Shelf, settleMerge } from './segments/segment-list.ts'
export { weigh } from './segments/shared-arrays.ts'
export {
  type CatalogueSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  peekSnapshot,
  SnapshotProblem,
} from './segments/snapshot.ts'
export {
  contactsPerStore,
  isPersonToken,
  packTraits,
  placeInStore,
  type Seniority,
  seniorities,
  signatureToken,
  traitsCount,
  traitsToken,
  unpackTraits,
} from './traits.ts'
