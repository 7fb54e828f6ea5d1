import { mergeSegments } from '../memory/merge.ts'
import type { StartFeed } from './feed.ts'
import { Follower } from './follow.ts'

/** A feed in the thread that asks for it: for what is small, or measures it. */
export const feedHere: StartFeed = (settings, listener) =>
  new Follower(settings, listener, async (parts) => mergeSegments(parts))
