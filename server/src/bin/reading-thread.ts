import { runReadingThread } from '../imports/threads/thread.ts'

runReadingThread()
