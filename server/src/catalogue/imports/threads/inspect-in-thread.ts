import { isOutOfMemory, Thread, type ThreadProgram, withTimeout } from '@storedex/work'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { Inspection } from '../records/inspect-file.ts'
import { defaultMaxUnpackedMb } from '../source/text.ts'
import type { InspectImport } from './inspect.ts'
import type { FromReadingThread, ImportThreadTask } from './messages.ts'
import { failureOf, termsOf } from './read-in-thread.ts'

/**
 * An honest file takes a fraction of a second, and one of 2 GB a few for its encoding. Loading the program has a time of
 * its own: from its source, on a busy machine, it takes longer than any file.
 */
const defaults = { startMs: 60_000, deadlineMs: 20_000, memoryMb: 512 }

/** Looks at files in a thread, which ends at the deadline wherever it is: requests go on meanwhile. */
export function inspectInThread(program: ThreadProgram, limits: Partial<typeof defaults> = {}): InspectImport {
  const { startMs, deadlineMs, memoryMb } = { ...defaults, ...limits }
  return async ({ vocabulary, seals, maxUnpackedMb = defaultMaxUnpackedMb }, kind, file, options) => {
    const task: ImportThreadTask = {
      ...{ work: 'inspect', kind, file, maxUnpackedMb, options },
      terms: termsOf(vocabulary),
      identityKey: new Uint8Array(seals.identities.secret),
    }
    const thread = new Thread<never, FromReadingThread>(program, { name: 'import preview', task, memoryMb })
    let onLoaded = () => {}
    const loaded = new Promise<void>((resolve) => {
      onLoaded = resolve
    })
    const inspection = new Promise<Inspection>((resolve, reject) => {
      thread.onMessage((message) => {
        if (message.kind === 'inspecting') onLoaded()
        else if (message.kind === 'inspected') resolve(message.inspection)
        else if (message.kind === 'failed') reject(failureOf(message))
      })
      void thread.ended.then((cause) => reject(deathOf(file, cause)))
    })
    try {
      await withTimeout(Promise.race([loaded, inspection]), startMs, () => {
        throw new OperatorError(`${file}: the thread that reads its first rows did not start; try again.`)
      })
      return await withTimeout(inspection, deadlineMs, () => {
        throw new OperatorError(
          `${file}: reading its first rows took longer than ${deadlineMs / 1000} seconds. Say how it is read (its sheet, or its encoding and delimiter), or check the file as a whole.`,
        )
      })
    } finally {
      await thread.kill()
    }
  }
}

function deathOf(file: string, cause: unknown): OperatorError {
  const reason = isOutOfMemory(cause)
    ? 'its first rows need too much memory'
    : 'the thread that reads its first rows ended unexpectedly'
  return new OperatorError(`${file}: ${reason}.`, { cause })
}
