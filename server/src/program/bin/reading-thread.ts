import { runReadingThread } from '../../catalogue/imports/threads/thread.ts'

runReadingThread()
