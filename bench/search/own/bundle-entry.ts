/** Entry point of a bundle of the engine, so that the bench runs it bundled, as the service does. */
export { buildSegment, countMatches, IdList, scanContacts, scanStores, withoutStores } from '@storedex/search-index'
export { Pace, SliceScheduler } from '@storedex/work'
export { contactScanOf, storeScanOf } from '../../../server/src/search/engines/memory.ts'
