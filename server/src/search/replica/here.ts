import { mergeSegments } from '@storedex/search-index'
import type { StartFeed } from './replica.ts'
import { Follower } from './replica-sync.ts'

/** A feed in the thread that asks for it: for what is small, or measures it. */
export const feedHere: StartFeed = (settings, listener) =>
  new Follower(settings, listener, async (parts) => mergeSegments(parts))
