/** Nothing is loaded from elsewhere, no script or style is inline, and the pages cannot be framed. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "frame-src 'none'",
  "worker-src 'none'",
  "media-src 'none'",
  "manifest-src 'none'",
  // No text becomes HTML or a script; `console/src/lib/trusted-types.ts` has the one exception.
  "require-trusted-types-for 'script'",
  'trusted-types default',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const unusedFeatures = [
  ...['accelerometer', 'autoplay', 'camera', 'display-capture', 'encrypted-media', 'fullscreen'],
  ...['geolocation', 'gyroscope', 'hid', 'idle-detection', 'local-fonts', 'magnetometer', 'microphone', 'midi'],
  ...['payment', 'picture-in-picture', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
]

export const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // A page's URL has the filters of a search.
  'referrer-policy': 'no-referrer',
  'permissions-policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
} as const

/** Files whose names contain a hash of their content. */
export const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Files with fixed names, such as `theme.js`. */
export const rootFileHeaders = { 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'same-origin' } as const
