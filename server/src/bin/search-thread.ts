import { runThread } from '../search/feed/thread.ts'

runThread()
