import { useSyncExternalStore } from 'react'
import { call } from '#api/client.ts'
import { pause, pauseMs } from '#api/connection.ts'
import { ApiFailure, hasCode } from '#api/failure.ts'

export interface UploadState {
  sent: number
  bytes: number
  /** Why it does not go on by itself. */
  failure?: unknown
}

interface Upload {
  id: number
  file: File
  state: UploadState
  stopping: AbortController
}

const mebibyte = 1_048_576
const sizes = { first: mebibyte, smallest: mebibyte / 4, largest: 8 * mebibyte }
/** A part that takes longer is followed by a smaller one: a request has half a minute. */
const slowMs = 8_000
const quickMs = 2_000
const maxTries = 5

/** Uploads of this tab. They go on while the user looks at other pages. */
const uploads = new Map<number, Upload>()
const listeners = new Set<() => void>()

/** The upload of an import by this tab; undefined if there is none. */
export function useUpload(id: number): UploadState | undefined {
  return useSyncExternalStore(subscribe, () => uploads.get(id)?.state)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Sends a file to its import, from the byte on that is missing. `onDone` is called when the whole file is there. */
export function startUpload(id: number, file: File, from: number, onDone: () => void): void {
  if (uploads.has(id) && !uploads.get(id)!.state.failure) return
  const upload: Upload = { id, file, state: { sent: from, bytes: file.size }, stopping: new AbortController() }
  uploads.set(id, upload)
  notify()
  send(upload).then(
    () => {
      uploads.delete(id)
      notify()
      onDone()
    },
    (failure: unknown) => {
      if (upload.stopping.signal.aborted) uploads.delete(id)
      else upload.state = { ...upload.state, failure }
      notify()
    },
  )
}

/** Tries an upload again that has failed; false when this tab does not have the file. */
export function retryUpload(id: number, onDone: () => void): boolean {
  const upload = uploads.get(id)
  if (!upload) return false
  startUpload(id, upload.file, upload.state.sent, onDone)
  return true
}

export function cancelUpload(id: number): void {
  uploads.get(id)?.stopping.abort()
}

function notify(): void {
  for (const listener of listeners) listener()
  const isSending = [...uploads.values()].some(({ state }) => !state.failure)
  if (isSending) window.addEventListener('beforeunload', askBeforeLeaving)
  else window.removeEventListener('beforeunload', askBeforeLeaving)
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

async function send(upload: Upload): Promise<void> {
  const { id, file, stopping } = upload
  let size = sizes.first
  let { largest } = sizes
  for (let tries = 0; upload.state.sent < file.size; ) {
    const offset = upload.state.sent
    const startedAt = performance.now()
    try {
      const part = await readPart(file, offset, Math.min(file.size, offset + size))
      const reply = await call(
        'appendToImport',
        { id: String(id), headers: { 'upload-offset': String(offset) } },
        { file: part, signal: stopping.signal },
      )
      move(upload, reply.import.received)
      tries = 0
      const tookMs = performance.now() - startedAt
      if (tookMs < quickMs) size = Math.min(size * 2, largest)
      else if (tookMs > slowMs) size = Math.max(size / 2, sizes.smallest)
    } catch (error) {
      if (isTooLarge(error) && size > sizes.smallest) {
        // A proxy may allow less than the server.
        largest = size / 2
        size = largest
        continue
      }
      if (stopping.signal.aborted || !isPassing(error) || (!hasCode(error, 'unreachable') && ++tries > maxTries))
        throw error
      size = Math.max(size / 2, sizes.smallest)
      await continueWhereItIs(upload)
    }
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof ApiFailure && error.status === 413
}

/** Failures that may pass: a broken connection, a server that restarts, a part that was taken after all. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false
  return ['unreachable', 'service_unavailable', 'wrong_offset', 'invalid_request'].includes(error.code)
}

/** Asks how much has arrived, until the server answers. */
async function continueWhereItIs(upload: Upload): Promise<void> {
  const { signal } = upload.stopping
  for (let attempt = 0; ; attempt++) {
    await pause(pauseMs(attempt), signal)
    try {
      const { import: job } = await call('getImport', { id: String(upload.id) }, { signal })
      return move(upload, job.received)
    } catch (error) {
      if (!hasCode(error, 'unreachable') && !hasCode(error, 'service_unavailable')) throw error
    }
  }
}

function move(upload: Upload, sent: number): void {
  upload.state = { sent, bytes: upload.file.size }
  notify()
}

/** Read before it is sent: a file that has changed on the disk would look like a server that is away. */
async function readPart(file: File, start: number, end: number): Promise<Blob> {
  try {
    return new Blob([await file.slice(start, end).arrayBuffer()], { type: 'application/offset+octet-stream' })
  } catch {
    throw new ApiFailure('file_unreadable', 'The file was changed or removed on this computer. Choose it again.')
  }
}
