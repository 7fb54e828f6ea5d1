/** The engine's own code, as one file: so the bench can run it as the service does, bundled. */

export { buildSegment, findContactPositions, findStorePositions } from '@storedex/search-index'
