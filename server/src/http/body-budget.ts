import type { IncomingMessage } from 'node:http'
import { ApiError } from '../kernel/errors.ts'
import { formatNumber } from '../kernel/time.ts'

type Done = (error: ApiError | null, body?: Buffer) => void

/** The memory that bodies may take while they arrive, over all connections. */
const maxBodyBytesInFlight = 33_554_432

/**
 * Reads bodies into memory, within one budget for all connections. When it is used up, the upload that began first is
 * refused: a caller who sends quickly is long done by then.
 */
export class BodyBudget {
  readonly #maxBytes: number
  /** In the order in which they began. */
  readonly #uploads = new Set<Upload>()
  #bytes = 0

  constructor(maxBytes = maxBodyBytesInFlight) {
    this.#maxBytes = maxBytes
  }

  /** Memory that is taken by bodies whose end has not arrived. */
  get bytesInFlight(): number {
    return this.#bytes
  }

  get oldestUpload(): Upload | undefined {
    const [oldest] = this.#uploads
    return oldest
  }

  read(request: IncomingMessage, maxBytes: number, done: Done): void {
    const upload = new Upload(request, maxBytes, {
      claim: (bytes) => {
        this.#bytes += bytes
        while (this.#bytes > this.#maxBytes && this.oldestUpload) this.oldestUpload.refuse(noRoom())
      },
      end: (bytes, error, body) => {
        this.#bytes -= bytes
        this.#uploads.delete(upload)
        done(error, body)
      },
    })
    this.#uploads.add(upload)
  }

  /** Refuses all bodies that are still arriving. */
  rejectAll(error: ApiError): void {
    for (const upload of [...this.#uploads]) upload.refuse(error)
  }
}

interface UploadListener {
  /** More memory is about to be taken. This may refuse the upload itself. */
  claim(bytes: number): void
  /** Called once, with the memory that is given back. */
  end(bytes: number, error: ApiError | null, body?: Buffer): void
}

const smallestBuffer = 1_024

/** One body on its way. Its bytes are copied into one buffer: a body sent in crumbs costs no object for each of them. */
class Upload {
  readonly startedAt = performance.now()
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #listener: UploadListener
  #buffer = Buffer.alloc(0)
  #length = 0
  #isOver = false

  constructor(request: IncomingMessage, maxBytes: number, listener: UploadListener) {
    this.#request = request
    this.#maxBytes = maxBytes
    this.#listener = listener
    request.on('data', this.#add)
    request.on('end', this.#finish)
    request.on('error', this.#break)
    request.on('close', this.#break)
  }

  get socket() {
    return this.#request.socket
  }

  refuse(error: ApiError): void {
    this.#end(error)
  }

  readonly #add = (chunk: Buffer): void => {
    const length = this.#length + chunk.length
    if (length > this.#maxBytes) return void this.#end(bodyTooLargeError(this.#maxBytes))
    if (length > this.#buffer.length) {
      const size = Math.max(length, Math.min(this.#buffer.length * 2, this.#maxBytes), this.#firstSize())
      const larger = Buffer.allocUnsafeSlow(size)
      this.#buffer.copy(larger, 0, 0, this.#length)
      const added = size - this.#buffer.length
      this.#buffer = larger
      this.#listener.claim(added)
      if (this.#isOver) return
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** What a small body needs as a whole; a large one has to arrive before it takes memory. */
  #firstSize(): number {
    return Math.min(Number(this.#request.headers['content-length'] ?? smallestBuffer), smallestBuffer)
  }

  readonly #finish = (): void => this.#end(null)

  readonly #break = (cause?: Error): void => {
    this.#end(new ApiError('invalid_request', 'The request could not be read to its end.', { cause }))
  }

  #end(error: ApiError | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.off('data', this.#add)
    this.#request.off('end', this.#finish)
    this.#request.off('error', this.#break)
    this.#request.off('close', this.#break)
    // The rest of a refused body is read and dropped, else the connection would stall.
    if (error) this.#request.on('error', () => {}).resume()
    const body = this.#buffer.subarray(0, this.#length)
    const size = this.#buffer.length
    this.#buffer = Buffer.alloc(0)
    this.#listener.end(size, error, error ? undefined : body)
  }
}

export function bodyTooLargeError(maxBytes: number): ApiError {
  return new ApiError('payload_too_large', `The body is larger than ${formatNumber(maxBytes)} bytes.`)
}

function noRoom(): ApiError {
  return new ApiError('service_unavailable', 'Too many bodies are arriving at once; try again in a moment.')
}
