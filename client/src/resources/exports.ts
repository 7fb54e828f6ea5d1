import { type Download, type DownloadOptions, downloadFile } from '../download/download.ts'
import type * as api from '../generated/types.ts'
import type { CallOptions, IdempotentCallOptions } from '../options.ts'
import type { Pages, RowBound } from '../pages.ts'
import { resolveIdempotencyKey } from '../parts.ts'
import type { NodeDestination, WebDestination } from '../platform.ts'
import { ApiPromise, type Reply } from '../reply.ts'
import { segment } from '../transport/transport.ts'
import { Resource } from './resource.ts'

const firstPollMs = 500
const longestPollMs = 5_000

export interface WaitOptions extends CallOptions {
  /** Called with every state that was read. */
  onProgress?: ((state: api.Export) => void) | undefined
}

/** Files of stores and contacts, which the service writes in the background. */
export class Exports extends Resource {
  /** Starts an export. With a quote it costs at most that. */
  create(body: api.ExportRequest, options?: IdempotentCallOptions): ApiPromise<api.Export> {
    const send = async () => {
      const idempotencyKey = resolveIdempotencyKey(options?.idempotencyKey)
      const request = { method: 'POST', path: '/exports', body, idempotencyKey } as const
      return this.transport().send<api.Export>(request, options)
    }
    return new ApiPromise(send())
  }

  /** All exports, the newest first. */
  list(
    query?: { limit?: number | undefined; cursor?: string | undefined },
    options?: CallOptions & RowBound,
  ): Pages<api.Export, api.ExportList> {
    return this.listPages('/exports', query, options)
  }

  get(id: string, options?: CallOptions): ApiPromise<api.Export> {
    return this.call({ method: 'GET', path: pathOf(id) }, options)
  }

  /** Ends an export; its file has what was paid. */
  cancel(id: string, options?: CallOptions): ApiPromise<api.Export> {
    return this.call({ method: 'POST', path: `${pathOf(id)}/cancel` }, options)
  }

  /** Deletes the file of an export, which makes room for another; one that still runs ends. What was paid stays paid. */
  delete(id: string, options?: CallOptions): ApiPromise<api.Export> {
    return this.call({ method: 'DELETE', path: pathOf(id) }, options)
  }

  /** Asks until an export has ended, with growing pauses. Look at `status`: it may have failed. */
  wait(id: string, options: WaitOptions = {}): ApiPromise<api.Export> {
    return new ApiPromise(this.#wait(id, options))
  }

  /**
   * Writes the file of an export to a stream, and closes it. After a cut it continues where it stopped. If it fails, the stream is
   * destroyed.
   */
  download(id: string, destination: WebDestination | NodeDestination, options?: DownloadOptions): Promise<Download> {
    return downloadFile(this.transport(), `${pathOf(id)}/file`, destination, options)
  }

  async #wait(id: string, options: WaitOptions): Promise<Reply<api.Export>> {
    const transport = this.transport()
    const scope = transport.scopeOf(options)
    for (let pauseMs = firstPollMs; ; pauseMs = Math.min(longestPollMs, pauseMs * 1.5)) {
      const reply = await transport.send<api.Export>({ method: 'GET', path: pathOf(id) }, options, scope)
      options.onProgress?.(reply.data)
      // A status that is not known is not waited for again either, once it has an end.
      if (reply.data.finished_at !== null) return reply
      await scope.pause(pauseMs)
    }
  }
}

function pathOf(id: string): string {
  return `/exports/${segment(id, 'id')}`
}
