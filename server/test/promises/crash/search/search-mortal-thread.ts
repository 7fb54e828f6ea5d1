/** The search thread, which throws when it receives a message. */
import { BroadcastChannel } from 'node:worker_threads'
import { runThread } from '../../../../src/search/replica/thread.ts'

const channel = new BroadcastChannel('crash the search thread')
channel.onmessage = () => {
  throw new Error('crash requested by the test')
}
channel.unref()
runThread()
