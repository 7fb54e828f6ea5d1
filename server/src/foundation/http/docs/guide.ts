import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path/posix'
import type { FastifyInstance } from 'fastify'
import { Html, html } from '../pages/html.ts'
import { colours, styleOnlyPolicy } from '../pages/page.ts'
import { barHeight, barStyle, documentationBar } from './layout.ts'
import type { RenderedDocument } from './markdown.ts'

/** The documents that are served, and where they are in the project. */
const documents = {
  '/docs/guide': 'docs/api.md',
  '/docs/sandbox': 'catalogue/sandbox/README.md',
} as const
type DocumentPath = keyof typeof documents

// The examples in the guide are written for it.
const exampleAddress = 'http://127.0.0.1:8080'

interface GuideOptions {
  projectDir: string
  /** The address of this service, which replaces the one in the examples. */
  publicUrl: string
}

/** Serves the guide for developers, and what it refers to, as pages. They are rendered when first asked for. */
export function registerGuide(app: FastifyInstance, { projectDir, publicUrl }: GuideOptions): void {
  const rendered = new Map<DocumentPath, Promise<string>>()
  const pageAt = (path: DocumentPath) => {
    const known = rendered.get(path)
    if (known) return known
    const page = renderPage(path, projectDir, publicUrl)
    rendered.set(path, page)
    page.catch(() => rendered.delete(path))
    return page
  }
  app.register(async (docs) => {
    for (const path of Object.keys(documents) as DocumentPath[])
      docs.get(path, { schema: { hide: true } }, async (_request, reply) => {
        const page = await pageAt(path)
        return reply.headers(headers).type('text/html; charset=utf-8').send(page)
      })
  })
}

async function renderPage(path: DocumentPath, projectDir: string, publicUrl: string): Promise<string> {
  // Loaded on demand: most processes never serve the guide.
  const { renderMarkdown } = await import('./markdown.ts')
  const file = documents[path]
  const text = await readFile(`${projectDir}/${file}`, 'utf8')
  const rendered = renderMarkdown(text.replaceAll(exampleAddress, publicUrl), (target) => pathOf(file, target))
  return `<!doctype html>\n${documentPage(path, rendered).text}`
}

/** Where a link of a document leads here; null if its target is not served. */
function pathOf(file: string, target: string): string | null {
  const [relative = '', fragment] = target.split('#')
  const linked = normalize(join(dirname(file), relative))
  const path = Object.entries(documents).find(([, document]) => document === linked)?.[0]
  return path ? path + (fragment === undefined ? '' : `#${fragment}`) : null
}

function documentPage(path: DocumentPath, { title, body, sections }: RenderedDocument): Html {
  return html`<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title} · Storedex</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <style>${new Html(style)}</style>
  </head>
  <body>
    ${documentationBar(path)}
    <div class="columns">
      <nav class="sections" aria-label="On this page">
        <ul>${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>
      </nav>
      <main>${body}</main>
    </div>
  </body>
</html>
`
}

const style = `${colours}
:root { font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  scroll-padding-top: calc(${barHeight} + 1rem); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface); color: var(--text); }
${barStyle}
.bar { position: sticky; top: 0; z-index: 1; }
.columns { display: flex; max-width: 72rem; margin: 0 auto; }
.sections { flex: none; width: 14rem; position: sticky; top: ${barHeight}; align-self: flex-start; overflow: auto;
  max-height: calc(100vh - ${barHeight}); padding: 2rem 0 2rem 1.25rem; font-size: 0.875rem; }
.sections ul { list-style: none; margin: 0; padding: 0; }
.sections a { display: block; padding: 0.25rem 0; color: var(--muted); text-decoration: none; }
.sections a:hover { color: var(--text); text-decoration: underline; }
main { flex: 1; min-width: 0; padding: 1rem 1.25rem 6rem 2.5rem; overflow-wrap: break-word; }
main > p, main > ul, main > ol { max-width: 46rem; }
h1 { font-size: 1.75rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.0625rem; margin: 1.75rem 0 0.5rem; }
a { color: var(--accent-text); text-underline-offset: 0.15em; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
code { font: 0.875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
:not(pre) > code { padding: 0.1em 0.3em; background: var(--hover); border-radius: 0.25rem; }
pre, .table { overflow: auto; margin: 0 0 1.25rem; }
pre { padding: 0.875rem 1rem; background: var(--bg); border: 1px solid var(--line); border-radius: 0.375rem; }
table { border-collapse: collapse; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 1.25rem 0.5rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; }
td > code { white-space: nowrap; }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
@media (max-width: 56rem) {
  .columns { display: block; }
  .sections { position: static; width: auto; max-height: none; padding: 1.25rem 1.25rem 0; }
  .sections ul { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  main { padding: 0.5rem 1.25rem 4rem; }
}
@media (max-width: 30rem) { .sections { padding: 1rem 1rem 0; } main { padding: 0 1rem 3rem; } }
`

const headers = {
  'content-security-policy': styleOnlyPolicy(style),
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const
