import { ConnectionError, StoredexError } from '../errors.ts'
import type { ApiRequest, CallOptions } from '../options.ts'
import type { HeadersLike, NodeDestination, ResponseLike, WebDestination } from '../platform.ts'
import { RetryPolicy } from '../transport/retry.ts'
import type { Transport } from '../transport/transport.ts'
import { openDestination } from './destinations.ts'

export interface DownloadProgress {
  bytes: number
  of: number
}

export interface DownloadOptions extends CallOptions {
  onProgress?: ((progress: DownloadProgress) => void) | undefined
  /** Leaves the destination open after the file, as for `process.stdout`. */
  preventClose?: boolean | undefined
}

/** A file that has arrived completely. */
export interface Download {
  bytes: number
  /** Of the whole file, as the service says it. */
  sha256: string
  contentType: string
  /** The name that the service proposes. */
  filename: string | undefined
}

/** The file as the first reply described it. */
interface RemoteFile {
  etag: string
  size: number
  headers: HeadersLike
}

/** @internal `timeoutMs` bounds the time without progress, not the download. */
export async function downloadFile(
  transport: Transport,
  path: string,
  target: WebDestination | NodeDestination,
  options: DownloadOptions = {},
): Promise<Download> {
  const { timeoutMs, maxRetries } = transport.limitsOf(options)
  const scope = transport.scopeOf(options)
  const retries = new RetryPolicy(maxRetries)
  const destination = openDestination(target)
  let file: RemoteFile | undefined
  let bytes = 0
  const attempt = (request: ApiRequest) =>
    transport.exchange(request, timeoutMs, scope, async (response, { signal, restart }) => {
      if (response.status !== 200 && response.status !== 206) throw await transport.errorOf(response)
      file = checkSameFile(file, response)
      let skip = response.status === 200 ? bytes : checkRange(response, bytes)
      for await (const chunk of readBody(response)) {
        const fresh = chunk.subarray(Math.min(skip, chunk.length))
        skip -= chunk.length - fresh.length
        if (bytes + fresh.length > file.size) throw changedFile()
        // An attempt that was given up writes nothing any more, also with a fetch that does not heed its signal.
        if (signal.aborted) return
        if (fresh.length > 0) {
          // The destination takes its time; only the network's is bounded.
          restart(Infinity)
          await destination.write(fresh)
          bytes += fresh.length
          retries.reset()
          options.onProgress?.({ bytes, of: file.size })
        }
        restart(timeoutMs)
      }
    })
  try {
    do {
      const resume = file && bytes > 0 ? { range: `bytes=${bytes}-`, 'if-range': file.etag } : {}
      const request = { method: 'GET', path, headers: { accept: '*/*', ...resume } } as const
      try {
        await attempt(request)
        if (file && bytes < file.size) throw incompleteFile()
      } catch (error) {
        await transport.waitAfter(error, retries, scope, request)
      }
    } while (!file || bytes < file.size)
    if (!options.preventClose) await destination.close()
    else destination.release()
  } catch (error) {
    destination.abort(error)
    throw error
  }
  return describe(file, bytes)
}

/** Bytes of two files must not be mixed: the file must be the one of the first reply. */
function checkSameFile(file: RemoteFile | undefined, { status, headers }: ResponseLike): RemoteFile {
  const etag = headers.get('etag') ?? ''
  const size = status === 206 ? headers.get('content-range')?.split('/')[1] : headers.get('content-length')
  if (etag === '' || !/^\d+$/.test(size ?? ''))
    throw new StoredexError('The file came without its ETag or its size; something between changed the reply.', {
      code: 'unexpected_reply',
      status,
    })
  const bytes = Number(size)
  if (file && (file.etag !== etag || file.size !== bytes)) throw changedFile()
  return file ?? { etag, size: bytes, headers }
}

/** A part begins where the last one ended; nothing is to be skipped. */
function checkRange({ headers }: ResponseLike, bytes: number): number {
  if (!headers.get('content-range')?.startsWith(`bytes ${bytes}-`)) throw changedFile()
  return 0
}

async function* readBody({ body }: ResponseLike): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (value) yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function incompleteFile(): StoredexError {
  return new ConnectionError('The file was cut before it was complete.', { code: 'connection_failed', retryable: true })
}

function changedFile(): StoredexError {
  return new StoredexError('The file of the export changed during the download; start it again.', {
    code: 'file_changed',
  })
}

function describe({ etag, headers }: RemoteFile, bytes: number): Download {
  return {
    bytes,
    sha256: etag.replace(/^W\//, '').replaceAll('"', ''),
    contentType: headers.get('content-type') ?? '',
    filename: /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1],
  }
}
