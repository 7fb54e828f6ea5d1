/** Entry point of a bundle of the engine, so that the bench runs it bundled, as the service does. */
export {
  buildSegment,
  countMatches,
  IdList,
  Pace,
  scanContacts,
  scanStores,
  withoutStores,
} from '@storedex/search-index'
export { SliceScheduler } from '../../../server/src/runtime/slices.ts'
export { contactScanOf, storeScanOf } from '../../../server/src/search/memory.ts'
