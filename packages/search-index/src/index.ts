export {
  type CountPart,
  type CountRequest,
  type CountResult,
  countMatches,
  type PartCount,
  type TokenFacet,
} from './count/count.ts'
export { documentsOf } from './exclusion/ascending-search.ts'
export { IdList, type IdSet } from './exclusion/id-list.ts'
export {
  type ContactKeyList,
  hasKey,
  withoutDocuments,
  withoutStores,
  withoutStoresInSteps,
} from './exclusion/without-stores.ts'
export type { ContactQuery, ContactSortKey, MomentRange, PersonQuery, StoreQuery, StoreSortKey } from './query.ts'
export { everyStore } from './query.ts'
export { ContactScan, StoreScan, scanContacts, scanStores } from './scan/find.ts'
export { findDocument } from './scan/resolve.ts'
export { buildCodedSegment, buildSegment } from './segments/build.ts'
export { codesFor } from './segments/coded-stores.ts'
export { signatureKey } from './segments/layout.ts'
export { mergeSegments } from './segments/merge.ts'
export { NumberTable } from './segments/number-table.ts'
export {
  type CodedStores,
  type Codes,
  type LiveSegment,
  type Segment,
  type StagedStores,
  segmentBytes,
  wordsOf,
} from './segments/segment.ts'
export {
  applyMerge,
  countDead,
  dropDeadSegments,
  planMerge,
  type Replacement,
  removeStores,
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
  storedTraits,
  traitsCount,
  traitsToken,
  unpackTraits,
} from './traits.ts'
