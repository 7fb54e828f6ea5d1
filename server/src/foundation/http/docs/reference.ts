import { readFile } from 'node:fs/promises'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { barHeight, barStyle, documentationBar } from './layout.ts'

/**
 * Serves the API reference at `/docs`, rendered in the browser by Scalar from a local copy of its script. The page
 * loads nothing from other hosts, sends nothing there, and runs only scripts served here.
 */
export function registerReferencePage(app: FastifyInstance): void {
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
    const schema = { hide: true }
    docs.get('/docs', { schema, helmet: {} }, (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
    docs.get('/docs/start.js', { schema, helmet: {} }, (_request, reply) => reply.type(javascript).send(startScript))
    docs.get('/docs/scalar.js', { schema, helmet: {} }, async (_request, reply) => {
      scalarScript ??= readScalarScript()
      return reply
        .type(javascript)
        .header('cache-control', 'public, max-age=3600')
        .send(await scalarScript)
    })
  })
}

/** Read once, also for concurrent requests. */
let scalarScript: Promise<Buffer> | undefined

async function readScalarScript(): Promise<Buffer> {
  try {
    return await readFile(new URL('./js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference')))
  } catch (error) {
    scalarScript = undefined
    throw error
  }
}

const javascript = 'text/javascript; charset=utf-8'

// Scalar marks the body with the theme that its reader chose. Its own greys are too pale to read by WCAG's AA.
const style = `
:root { --scalar-custom-header-height: ${barHeight}; }
body { margin: 0; }
.light-mode { --scalar-color-2: #55555f; --scalar-color-3: #62626d; --scalar-color-blue: #00609c;
  --scalar-color-green: #04694a; --scalar-color-orange: #a8410a; --scalar-color-red: #b3191a;
  --scalar-color-yellow: #7a5d00; --scalar-color-purple: #5203d1; }
.dark-mode { --scalar-color-2: #b4b4bd; --scalar-color-3: #a3a3ad; --scalar-color-red: #ff8078; }
.bar { position: sticky; top: 0; z-index: 100; font-family: var(--scalar-font);
  --surface: var(--scalar-background-1); --line: var(--scalar-border-color); --text: var(--scalar-color-1);
  --muted: var(--scalar-color-2); }
${barStyle}
`

const page = `<!doctype html>
<html lang="en">
  <head>
    <title>Storedex API reference</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body>
    ${documentationBar('/docs').text}
    <div id="app"></div>
    <noscript>The API is described in <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</noscript>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const configuration = {
  url: '/api/v1/openapi.json',
  // The API serves the page, so requests go to it directly: no proxy sees a key.
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  // Keys are kept only while the page is open.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearerKey' },
  metaData: { title: 'Storedex API reference' },
}

const startScript = `Scalar.createApiReference('#app', ${JSON.stringify(configuration)})\n`
