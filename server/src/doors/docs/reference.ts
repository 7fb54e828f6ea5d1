import { readFile } from 'node:fs/promises'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { prefersMarkdown } from '../../foundation/http/pages/accept.ts'
import { html } from '../../foundation/http/pages/html.ts'
import { colours } from '../../foundation/http/pages/page.ts'
import { type DocumentLibrary, renderLlmsText } from './documents.ts'
import { barHeight, barStyle, documentationBar } from './layout.ts'
import { sendTagged, type TaggedText, tagText } from './send.ts'

/**
 * Serves the API reference at `/docs`, rendered in the browser by Scalar from a local copy of its script. The page
 * loads nothing from other hosts, sends nothing there, and runs only scripts served here.
 */
export function registerReferencePage(app: FastifyInstance, documents: DocumentLibrary): void {
  const page = tagText('text/html', renderPage(documents))
  // What an assistant can use of the reference: where the OpenAPI document is.
  const markdown = tagText('text/markdown', renderLlmsText(documents))
  app.register(async (docs) => {
    // In this scope, because its hooks run for every route of its scope; before the routes, which it has to see.
    await docs.register(helmet, {
      global: false,
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          // Scalar sets styles from its script.
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:', 'blob:'],
          fontSrc: ["'self'", 'data:'],
          connectSrc: ["'self'"],
          workerSrc: ["'self'", 'blob:'],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      // Whether the host always uses TLS is for its operator to declare.
      strictTransportSecurity: false,
    })
    const options = { schema: { hide: true }, config: { compresses: 'once' }, helmet: {} } as const
    docs.get('/docs', options, (request, reply) =>
      sendTagged(request, reply.header('vary', 'accept'), prefersMarkdown(request.headers.accept) ? markdown : page),
    )
    docs.get('/docs/start.js', options, (request, reply) => sendTagged(request, reply, startScript))
    docs.get('/docs/scalar.js', options, async (request, reply) => {
      scalarScript ??= readScalarScript()
      return sendTagged(request, reply.header('cache-control', 'public, max-age=3600'), await scalarScript)
    })
  })
}

/** Read once, also for concurrent requests. */
let scalarScript: Promise<TaggedText> | undefined

async function readScalarScript(): Promise<TaggedText> {
  try {
    const file = new URL('./js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'))
    return tagText('text/javascript', await readFile(file))
  } catch (error) {
    scalarScript = undefined
    throw error
  }
}

// Scalar marks the body with the theme that its reader chose; the colours are those of the console. They decide for Scalar's
// own, which its script adds later.
const style = `${colours}
:root { --scalar-custom-header-height: ${barHeight}; }
body { margin: 0; }
body.light-mode { color-scheme: light; --scalar-color-blue: #00609c; --scalar-color-green: #04694a;
  --scalar-color-orange: #a8410a; --scalar-color-red: #ad2017; --scalar-color-yellow: #7a5d00;
  --scalar-color-purple: #5203d1; }
body.dark-mode { color-scheme: dark; --scalar-color-red: #ff9d93; }
body.light-mode, body.dark-mode { --scalar-color-1: var(--text); --scalar-color-2: var(--muted);
  --scalar-color-3: var(--muted); --scalar-color-accent: var(--accent-text); --scalar-link-color: var(--accent-text);
  --scalar-background-1: var(--surface); --scalar-background-2: var(--bg); --scalar-background-3: var(--hover);
  --scalar-border-color: var(--line);
  --scalar-font: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  --scalar-font-code: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
/* Scalar cuts descenders off, and so the underscores of names. */
#app .truncate, #app .line-clamp-1 { padding-bottom: 0.2em; }
#app .tab-list { mask-image: linear-gradient(to right, #000 calc(100% - 1.25rem), transparent); padding-right: 1.25rem; }
.bar { position: sticky; top: 0; z-index: 100; font-family: var(--scalar-font); }
${barStyle}
`

function renderPage({ pages, publicUrl }: DocumentLibrary): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <title>Storedex API reference</title>
    <meta charset="utf-8" />
    <meta name="description" content="Every operation of the Storedex API, with its parameters, replies and errors." />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="canonical" href="${html`${publicUrl}`.text}/docs" />
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body>
    ${documentationBar(pages, '/docs').text}
    <div id="app"></div>
    <noscript>The API is described in <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>; the documents above need no
      script.</noscript>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`
}

const configuration = {
  url: '/api/v1/openapi.json',
  // The API serves the page, so requests go to it directly: no proxy sees a key.
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  // Keys are never written to the browser's storage, which the next person at a shared machine could read.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearerKey' },
  metaData: { title: 'Storedex API reference' },
}

/**
 * Starts Scalar. When "Test Request" closes, Scalar reverts what was typed, with the key; here the key stays, in the memory of the
 * page only.
 */
const startScript = tagText(
  'text/javascript',
  `Scalar.createApiReference('#app', ${JSON.stringify(configuration)})
const store = window.dataDumpWorkspace?.()
const revert = store?.revertDocumentChanges
if (revert)
  store.revertDocumentChanges = async (name) => {
    const schemeNow = () => store.workspace.documents[name]?.components?.securitySchemes?.bearerKey
    const key = schemeNow()?.['x-scalar-secret-token']
    await revert(name)
    const scheme = schemeNow()
    if (key && scheme) scheme['x-scalar-secret-token'] = key
  }
`,
)
