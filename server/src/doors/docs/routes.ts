import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { prefersMarkdown } from '../../foundation/http/pages/accept.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { ClosedObject } from '../../foundation/kernel/shapes.ts'
import { DocumentLibrary, renderLlmsText } from './documents.ts'
import { pageScript } from './layout.ts'
import type { SearchedDocument } from './operations.ts'
import { registerReferencePage } from './reference.ts'
import { maxQueryLength, type SearchEntry } from './search.ts'
import { sendSitePage, sendTagged, tagText } from './send.ts'

interface DocsOptions {
  projectDir: string
  /** The address of this service. */
  publicUrl: string
}

/**
 * Serves the reference at `/docs` and the documents for developers beside it, as pages and as Markdown, with a search. Everything
 * works without scripts but the reference.
 */
export function registerDocs(app: FastifyInstance, options: DocsOptions): void {
  const documents = new DocumentLibrary(options)
  registerReferencePage(app, documents)
  app.register(async (docs) => {
    const schema = { hide: true }
    const config = { compresses: 'once' } as const
    const script = tagText('text/javascript', pageScript)
    const llmsText = tagText('text/plain', renderLlmsText(documents))
    docs.get('/docs/page.js', { schema, config }, (request, reply) => sendTagged(request, reply, script))
    // Where they are looked for.
    for (const [path, target] of Object.entries({ '/docs/': '/docs', '/openapi.json': '/api/v1/openapi.json' }))
      docs.get(path, { schema }, (_request, reply) => reply.redirect(target, 308))
    for (const path of ['/llms.txt', '/docs/llms.txt'])
      docs.get(path, { schema, config }, (request, reply) => sendTagged(request, reply, llmsText))

    let entries: Promise<SearchEntry[]> | undefined
    const querystring = ClosedObject({ q: Type.Optional(Type.String({ maxLength: maxQueryLength })) })
    docs.get(
      '/docs/search',
      { schema: { ...schema, querystring }, config: { compresses: 'each' } },
      async (request, reply) => {
        const { q = '' } = request.query as { q?: string }
        const { collectEntries, renderSearchPage } = await import('./search-page.ts')
        entries ??= collectEntries(documents, app.swagger() as SearchedDocument)
        entries.catch(() => {
          entries = undefined
        })
        return sendSitePage(request, reply, renderSearchPage(documents, await entries, q.trim()))
      },
    )

    docs.get('/docs/:page', { schema, config }, async (request, reply) => {
      const { page: asked } = request.params as { page: string }
      const page = documents.pages.find(({ name }) => name === asked || `${name}.md` === asked)
      if (!page) throw new Refusal('route_not_found', 'There is no document at this path; see /docs for what there is.')
      const document = await documents.open(page)
      reply.header('vary', 'accept')
      return page.name !== asked || prefersMarkdown(request.headers.accept)
        ? sendTagged(request, reply, tagText('text/markdown', document.markdown))
        : sendSitePage(request, reply, document.page)
    })
  })
}
