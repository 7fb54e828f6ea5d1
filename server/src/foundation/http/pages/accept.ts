/** Whether a request asks for a page: its Accept header names text/html, and no less than JSON. */
export function prefersPage(accept: string | undefined): boolean {
  const page = weightOf('text/html', accept)
  return page > 0 && page >= weightOf('application/json', accept)
}

/** Whether a request asks for JSON rather than for a page. */
export function prefersJson(accept: string | undefined): boolean {
  return weightOf('application/json', accept) > weightOf('text/html', accept)
}

/** Whether a request asks for Markdown rather than for a page, as assistants do. */
export function prefersMarkdown(accept: string | undefined): boolean {
  return weightOf('text/markdown', accept) > weightOf('text/html', accept)
}

/** The weight that an Accept header gives to a media type by name; 0 when it does not name it. */
function weightOf(mediaType: string, accept = ''): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    if (name !== mediaType) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}
