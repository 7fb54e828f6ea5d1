/** The thread of the search, which dies when it is told to. */
import { BroadcastChannel } from 'node:worker_threads'
import { runThread } from '../../../src/search/replica/thread.ts'

const channel = new BroadcastChannel('deaths of the search thread')
channel.onmessage = () => {
  throw new Error('told to die')
}
channel.unref()
runThread()
