import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { prefersJson, prefersPage } from '../../../foundation/http/pages/accept.ts'
import { html } from '../../../foundation/http/pages/html.ts'
import { sendPage } from '../../../foundation/http/pages/page.ts'
import { etagMatches } from '../../../foundation/http/replies.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { type ConsoleBuild, type PageDocument, readConsoleBuild } from './build.ts'
import { assetHeaders, pageHeaders, rootFileHeaders } from './headers.ts'

/**
 * Serves the built console: a document at the path of every page, and its files. For programs `GET /` redirects to the
 * reference. Without a build (null) it tells users how to make one, and there are no pages.
 */
export function registerConsoleFiles(app: FastifyInstance, folder: string | null): void {
  const build = folder === null ? null : readConsoleBuild(folder)
  app.register(async (site) => {
    answer(site, '/', (request, reply) => {
      reply.header('vary', 'accept')
      if (!prefersPage(request.headers.accept)) return reply.redirect('/docs', 302)
      return build ? sendDocument(request, reply, build.pages.get('/')!) : sendBuildInstructions(reply)
    })
    if (build) await serveBuild(site, build)
  })
}

async function serveBuild(site: FastifyInstance, build: ConsoleBuild): Promise<void> {
  for (const [path, document] of build.pages) {
    if (path === '/') continue
    answer(site, path, (request, reply) => {
      reply.header('vary', 'accept')
      // A program that left /api/v1 out of its path expects an error, not a page.
      if (prefersJson(request.headers.accept)) throw nothingHereError()
      return sendDocument(request, reply, document)
    })
  }

  // It only sends files that are named here: there is no route that leads to a path of the caller's choice.
  await site.register(fastifyStatic, { root: build.folder, serve: false, preCompressed: true, index: false })
  site.setNotFoundHandler(() => {
    // A later start may have removed the build while this service still runs from it.
    throw nothingHereError()
  })
  for (const name of build.rootFiles)
    answer(site, `/${name}`, (_request, reply) =>
      reply.headers(rootFileHeaders).sendFile(name, { cacheControl: false }),
    )
  answer(site, '/assets/:file', (request, reply) => {
    const { file } = request.params as { file: string }
    const folder = build.assets.get(file)
    if (!folder) throw nothingHereError()
    return reply.headers(assetHeaders).sendFile(file, folder, { cacheControl: false })
  })
}

function answer(
  site: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void {
  const schema = { hide: true }
  site.route({
    method: ['GET', 'HEAD'],
    url,
    schema,
    handler,
    errorHandler: (error, request, reply) =>
      sendConditionFailure(error, reply) ?? site.errorHandler(error, request, reply),
  })
}

/** Answers a condition or a range that a file does not meet; undefined for other errors. */
function sendConditionFailure({ statusCode, ...error }: FastifyError, reply: FastifyReply): FastifyReply | undefined {
  if (statusCode !== 412 && statusCode !== 416) return undefined
  const { 'Content-Range': contentRange } = (error as { headers?: Record<string, string> }).headers ?? {}
  if (contentRange) reply.header('content-range', contentRange)
  return reply.code(statusCode).header('cache-control', 'no-store').send()
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { text, etag }: PageDocument): FastifyReply {
  reply.headers({ ...pageHeaders, etag })
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type('text/html; charset=utf-8').send(text)
}

function sendBuildInstructions(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    status: 503,
    title: 'The console is not built',
    body: html`<p>
        <code>npm start</code> builds it when its sources have changed; its log says why that failed.
        <code>npm run dev</code> serves the last build.
      </p>
      <p>The API works without it: <a href="/docs">documentation</a>.</p>`,
  })
}

function nothingHereError(): Refusal {
  return new Refusal('route_not_found', 'There is nothing at this path; see /docs for what there is.')
}
