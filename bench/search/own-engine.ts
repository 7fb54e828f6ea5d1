/** The engine's own code, as one file: so the bench can run it as the service does, bundled. */

export { findContactPositions } from '../../packages/search-index/src/scan/find.ts'
export { findStorePositions } from '../../packages/search-index/src/scan/find-stores.ts'
export { buildSegment } from '../../packages/search-index/src/segments/build.ts'
