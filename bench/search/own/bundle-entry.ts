/** Entry point of a bundle of the engine, so that the bench runs it bundled, as the service does. */
export { buildSegment } from '../../../server/src/search/memory/build.ts'
export { findContactPositions } from '../../../server/src/search/memory/find-contacts.ts'
export { findStorePositions } from '../../../server/src/search/memory/find-stores.ts'
