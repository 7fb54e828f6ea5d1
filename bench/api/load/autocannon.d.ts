/** The part of autocannon that the bench uses; the package has no types. */
declare module 'autocannon' {
  interface Request {
    method: string
    path: string
    headers: Record<string, string>
    body?: string
    /** Called before each request is sent. */
    setupRequest?(request: Request): Request
  }
  interface Connection {
    setRequests(requests: Request[]): void
    /** Ends the connection after a reply when it has sent at least as many requests. */
    responseMax: number
  }
  interface Options {
    url: string
    connections: number
    /** Seconds; requests that are under way then are cut off. */
    duration: number
    /** Milliseconds between two checks for the end. */
    sampleInt: number
    setupClient(connection: Connection): void
  }
  interface Result {
    errors: number
    non2xx: number
    statusCodeStats: Record<string, { count: number }>
  }
  interface Run extends PromiseLike<Result> {
    on(
      event: 'response',
      listener: (connection: Connection, status: number, bytes: number, durationMs: number) => void,
    ): void
    stop(): void
  }
  export default function autocannon(options: Options): Run
}
