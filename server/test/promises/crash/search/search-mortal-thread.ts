/** The search thread, which throws when it receives a message, and begins only while the file `hold` beside it is missing. */
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { BroadcastChannel } from 'node:worker_threads'
import { runThread } from '../../../../src/search/replica/thread.ts'

while (existsSync(new URL('hold', import.meta.url))) await delay(10)
const channel = new BroadcastChannel('crash the search thread')
channel.onmessage = () => {
  throw new Error('crash requested by the test')
}
channel.unref()
runThread()
