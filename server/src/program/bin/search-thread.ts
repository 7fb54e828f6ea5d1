import { runThread } from '../../search/replica/thread.ts'

runThread()
