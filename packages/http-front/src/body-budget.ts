import type { IncomingMessage } from 'node:http'

/** The errors of bodies that are not read to their end. */
export interface BodyErrors {
  tooLarge(maxBytes: number): Error
  /** Too many bytes are arriving at once, over all connections. */
  tooMany(): Error
  /** The client broke off; `cause` is the error of the connection, if it had one. */
  incomplete(cause: Error | undefined): Error
}

type Done = (error: Error | null, body?: Buffer) => void

/**
 * Reads bodies into memory within one budget for all connections. When the budget is exceeded, the oldest upload is
 * rejected: a client on a normal connection finishes long before.
 */
export class BodyBudget {
  readonly errors: BodyErrors
  readonly #maxBytes: number
  /** In order of arrival. */
  readonly #uploads = new Set<Upload>()
  #bytes = 0

  /** `maxBytes` is the memory limit for all bodies in flight, over all connections. */
  constructor(maxBytes: number, errors: BodyErrors) {
    this.errors = errors
    this.#maxBytes = maxBytes
  }

  /** Memory used by incomplete bodies. */
  get bytesInFlight(): number {
    return this.#bytes
  }

  get oldestUpload(): Upload | undefined {
    const [oldest] = this.#uploads
    return oldest
  }

  read(request: IncomingMessage, maxBytes: number, done: Done): void {
    const upload = new Upload(request, maxBytes, this.errors, {
      claim: (bytes) => {
        this.#bytes += bytes
        while (this.#bytes > this.#maxBytes && this.oldestUpload) this.oldestUpload.refuse(this.errors.tooMany())
      },
      end: (bytes, error, body) => {
        this.#bytes -= bytes
        this.#uploads.delete(upload)
        done(error, body)
      },
    })
    this.#uploads.add(upload)
  }

  /** Rejects all incomplete uploads. */
  rejectAll(error: Error): void {
    for (const upload of [...this.#uploads]) upload.refuse(error)
  }
}

interface UploadListener {
  /** Called before more memory is used. It may reject the calling upload itself. */
  claim(bytes: number): void
  /** Called once, with the number of bytes released. */
  end(bytes: number, error: Error | null, body?: Buffer): void
}

const minBufferBytes = 1_024

/**
 * A body being received. It is copied into one buffer, so that a body sent in tiny chunks does not cost an object per
 * chunk.
 */
class Upload {
  readonly startedAt = performance.now()
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #errors: BodyErrors
  readonly #listener: UploadListener
  #buffer = Buffer.alloc(0)
  #length = 0
  #isDone = false

  constructor(request: IncomingMessage, maxBytes: number, errors: BodyErrors, listener: UploadListener) {
    this.#request = request
    this.#maxBytes = maxBytes
    this.#errors = errors
    this.#listener = listener
    request.on('data', this.#append)
    request.on('end', this.#finish)
    request.on('error', this.#fail)
    request.on('close', this.#fail)
  }

  get socket() {
    return this.#request.socket
  }

  refuse(error: Error): void {
    this.#end(error)
  }

  readonly #append = (chunk: Buffer): void => {
    const length = this.#length + chunk.length
    if (length > this.#maxBytes) return void this.#end(this.#errors.tooLarge(this.#maxBytes))
    if (length > this.#buffer.length) {
      const size = Math.max(length, Math.min(this.#buffer.length * 2, this.#maxBytes), this.#initialSize())
      const larger = Buffer.allocUnsafeSlow(size)
      this.#buffer.copy(larger, 0, 0, this.#length)
      const added = size - this.#buffer.length
      this.#buffer = larger
      this.#listener.claim(added)
      if (this.#isDone) return
    }
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** The whole size of a small body; a large body must arrive before it takes memory. */
  #initialSize(): number {
    return Math.min(Number(this.#request.headers['content-length'] ?? minBufferBytes), minBufferBytes)
  }

  readonly #finish = (): void => this.#end(null)

  readonly #fail = (cause?: Error): void => {
    this.#end(this.#errors.incomplete(cause))
  }

  #end(error: Error | null): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#request.off('data', this.#append)
    this.#request.off('end', this.#finish)
    this.#request.off('error', this.#fail)
    this.#request.off('close', this.#fail)
    // Discard the rest of a rejected body; otherwise the connection would stall.
    if (error) this.#request.on('error', () => {}).resume()
    const body = this.#buffer.subarray(0, this.#length)
    const size = this.#buffer.length
    this.#buffer = Buffer.alloc(0)
    this.#listener.end(size, error, error ? undefined : body)
  }
}
