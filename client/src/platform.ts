// The parts of the platform's types that callers see, written out, so that the declarations need neither the DOM library nor
// @types/node. The real AbortSignal, fetch, Headers and streams of both fit.

/** An `AbortSignal`. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The `Headers` of a reply. */
export interface HeadersLike {
  get(name: string): string | null
  has(name: string): boolean
  forEach(callback: (value: string, name: string) => void): void
}

/** What the client uses of a `Response`. */
export interface ResponseLike {
  readonly status: number
  readonly type?: string
  readonly headers: HeadersLike
  readonly body: { getReader(): BodyReader } | null
  text(): Promise<string>
}

/** A reader of a body's bytes. */
interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(reason?: unknown): Promise<void>
}

/** What the client passes to `fetch`; all of it is valid in a `RequestInit`. */
interface FetchInit {
  method: string
  headers: Record<string, string>
  body?: string
  redirect: 'manual'
  credentials: 'omit'
  // biome-ignore lint/suspicious/noExplicitAny: it is a real AbortSignal, which has another type in each library.
  signal: any
}

/** `fetch`, or a function like it. */
export type Fetch = (url: string, init: FetchInit) => Promise<ResponseLike>

/** A `WritableStream` of bytes, such as that of a file picker or a `TransformStream`. */
export interface WebDestination {
  getWriter(): {
    write(chunk: Uint8Array): Promise<void>
    close(): Promise<void>
    abort(reason?: unknown): Promise<void>
    releaseLock(): void
  }
}

/** A `Writable` of Node, such as `createWriteStream(path)`. */
export interface NodeDestination {
  write(chunk: Uint8Array, callback: (error?: Error | null) => void): boolean
  end(callback: () => void): unknown
  destroy(error?: Error): unknown
  on(event: 'error' | 'close', listener: (error?: Error) => void): unknown
  removeListener(event: 'error' | 'close', listener: (error?: Error) => void): unknown
}
