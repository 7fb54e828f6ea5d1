import type { ApiRequest, CallOptions } from '../options.ts'
import { type PageReply, Pages, type RowBound } from '../pages.ts'
import { ApiPromise } from '../reply.ts'
import type { Transport } from '../transport/transport.ts'

/** A group of operations. */
export abstract class Resource {
  // Private, so that nothing of it is printed.
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** @internal */
  protected transport(): Transport {
    return this.#transport
  }

  /** @internal */
  protected call<T>(request: ApiRequest, options: CallOptions | undefined): ApiPromise<T> {
    return new ApiPromise(this.#transport.send<T>(request, options))
  }

  /** @internal Pages that are asked for with a body. */
  protected searchPages<Row, Page extends PageReply<Row>>(
    path: string,
    body: { limit?: number | undefined; cursor?: string | null | undefined },
    options: (CallOptions & RowBound) | undefined,
  ): Pages<Row, Page> {
    return this.#pages(body, options, (page) => ({ method: 'POST', path, body: { ...body, ...page } }))
  }

  /** @internal Pages that are asked for with a query. */
  protected listPages<Row, Page extends PageReply<Row>>(
    path: string,
    query: ListQuery | undefined,
    options: (CallOptions & RowBound) | undefined,
  ): Pages<Row, Page> {
    return this.#pages(query ?? {}, options, (page) => ({ method: 'GET', path, query: { ...query, ...page } }))
  }

  #pages<Row, Page extends PageReply<Row>>(
    first: { limit?: number | undefined; cursor?: string | null | undefined },
    options: (CallOptions & RowBound) | undefined,
    requestOf: (page: { limit?: number; cursor?: string }) => ApiRequest,
  ): Pages<Row, Page> {
    const fetchPage = async ({ limit, cursor }: { limit: number | undefined; cursor: string | undefined }) => {
      const page = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) }
      return (await this.#transport.send<Page>(requestOf(page), options)).data
    }
    return new Pages(fetchPage, { cursor: first.cursor ?? undefined, limit: first.limit }, options)
  }
}

/** Where a list begins, and how long its pages are. */
export type ListQuery = { limit?: number | undefined; cursor?: string | undefined; kind?: string | undefined }
