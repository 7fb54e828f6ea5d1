import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type LiveSegment, mergeSegments, type Segment } from '@storedex/search-index'
import type { MergeAside } from './merge-scheduler.ts'
import type { FeedSettings } from './replica.ts'
import { Follower } from './replica-sync.ts'
import { type FeedMessage, ViewSender, wireError } from './thread-messages.ts'

/** How a thread is run: a file, and arguments of node that it takes. */
export interface ThreadProgram {
  file: string
  execArgv: readonly string[]
}

/** What a thread is there for. */
export type ThreadTask =
  | { kind: 'follow'; settings: FeedSettings; program: ThreadProgram }
  | { kind: 'merge'; parts: readonly LiveSegment[] }

export const stopMessage = 'stop'

/** A thread of the program, at its task. */
export function startThread({ file, execArgv }: ThreadProgram, task: ThreadTask): Worker {
  // The environment holds passwords, and what a thread needs is in its task.
  return new Worker(file, { workerData: task, execArgv: [...execArgv], env: {}, name: `search ${task.kind}` })
}

/** The body of such a thread. */
export function runThread(): void {
  if (isMainThread || !parentPort) throw new Error('this program is run as a thread')
  const task = workerData as ThreadTask
  if (task.kind === 'merge') parentPort.postMessage(mergeSegments(task.parts))
  else runFollower(task.settings, task.program)
}

function runFollower(settings: FeedSettings, program: ThreadProgram): void {
  const port = parentPort!
  const sender = new ViewSender()
  const post = (message: FeedMessage) => port.postMessage(message)
  const follower = new Follower(
    settings,
    {
      onView: (view) => post({ kind: 'view', view: view && sender.send(view) }),
      onReport: (report) => post({ kind: 'report', report }),
      onLine: (level, line, cause) => post({ kind: 'line', level, line, cause: wireError(cause) }),
    },
    mergeInThread(program),
  )
  port.once('message', async () => {
    await follower.close()
    // Nothing is left that would keep the thread alive.
    port.close()
  })
}

/** A thread for one merge; what it takes of memory besides the result goes with it. */
function mergeInThread(program: ThreadProgram): MergeAside {
  return (parts) =>
    new Promise<Segment>((resolve, reject) => {
      const thread = startThread(program, { kind: 'merge', parts })
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('the thread of a merge ended without a result')))
    })
}
