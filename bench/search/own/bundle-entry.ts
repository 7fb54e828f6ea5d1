/** The engine's own code, as one file: so the bench can run it as the service does, bundled. */
export { buildSegment } from '../../../server/src/search/memory/build.ts'
export { findContactPositions } from '../../../server/src/search/memory/find-contacts.ts'
export { findStorePositions } from '../../../server/src/search/memory/find-stores.ts'
