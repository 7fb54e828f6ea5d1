import { runCountThread } from '../../search/counting/thread.ts'

runCountThread()
