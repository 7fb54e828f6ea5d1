/**
 * Hosts that many share: a profile, a market stall or a mailbox there would make one store of all of their users. The
 * well-known ones, not every one: a list of thousands has hosts that became shops since.
 */

/** Every name below these is the same service: `m.facebook.com`, `maps.google.com`. */
const services = words(`
  facebook.com fb.com fb.me fb.watch messenger.com instagram.com instagr.am threads.net threads.com whatsapp.com wa.me twitter.com x.com t.co
  linkedin.com lnkd.in tiktok.com youtube.com youtu.be pinterest.com pin.it snapchat.com reddit.com redd.it discord.com discord.gg telegram.org
  telegram.me t.me vk.com ok.ru weibo.com weibo.cn xing.com tumblr.co twitch.tv vimeo.com dailymotion.com flickr.com behance.net
  dribbble.com soundcloud.com spotify.com mastodon.social bsky.app nextdoor.com meetup.com eventbrite.com kakao.com line.me lin.ee zalo.me
  douyin.com xiaohongshu.com bilibili.com kuaishou.com wechat.com
  linktr.ee linkin.bio lnk.bio beacons.ai bio.link bio.site campsite.bio taplink.cc tap.bio msha.ke milkshake.app solo.to allmylinks.com
  linkpop.com hoo.be stan.store koji.to contactinbio.com flow.page linkfly.to about.me carrd.com
  bit.ly bitly.com tinyurl.com goo.gl is.gd ow.ly buff.ly rebrand.ly cutt.ly shorturl.at rb.gy t.ly tiny.cc lnk.to amzn.to amzn.eu a.co ebay.us etsy.me
  bing.com duckduckgo.com baidu.com ecosia.org qwant.com startpage.com naver.com daum.net g.page business.site
  trustpilot.com yelp.com tripadvisor.com foursquare.com
  wish.com temu.com aliexpress.com aliexpress.us alibaba.com 1688.com taobao.com tmall.com jd.com pinduoduo.com dhgate.com made-in-china.com
  globalsources.com mercari.com poshmark.com depop.com
  grailed.com therealreal.com reverb.com offerup.com letgo.com craigslist.org gumtree.com gumtree.com.au kleinanzeigen.de ebay-kleinanzeigen.de
  willhaben.at ricardo.ch tutti.ch marktplaats.nl 2dehands.be 2ememain.be leboncoin.fr
  hood.de avocadostore.de etsystudio.com dawanda.com wallapop.com milanuncios.com subito.it
  allegro.cz emag.ro emag.bg emag.hu skroutz.gr trendyol.com hepsiburada.com n11.com gittigidiyor.com sahibinden.com ozon.ru wildberries.ru avito.ru
  flipkart.com meesho.com snapdeal.com indiamart.com tokopedia.com bukalapak.com blibli.com coupang.com gmarket.co.kr 11st.co.kr
  qoo10.com tiki.vn jumia.com noon.com bidorbuy.co.za trademe.co.nz
  vinted.com houzz.com faire.com ankorstore.com orderchamp.com redbubble.com teespring.com society6.com zazzle.com cafepress.com teepublic.com
  spreadshirt.com spreadshirt.de spreadshirt.net ubereats.com doordash.com deliveroo.com deliveroo.co.uk just-eat.co.uk lieferando.de grubhub.com
  ko-fi.com patreon.com buymeacoffee.com kickstarter.com indiegogo.com gofundme.com
  paypal.com paypal.me venmo.com cash.app
  dropbox.com notion.so docsend.com issuu.com scribd.com slideshare.net calendly.com`)

/** Those that have hosts of their own in many countries. */
const national = expand({
  amazon: 'com de co.uk fr it es nl pl se com.be com.tr ca com.mx com.br com.au co.jp in sg ae sa eg cn at ch ie co.za',
  ebay: 'com de co.uk fr it es nl pl at ch ie be ca com.au com.hk com.my com.sg ph in cn',
  google:
    'com de co.uk fr it es nl pl at ch be ie se no dk fi pt gr cz hu ro ca com.mx com.br com.ar com.au co.nz co.jp co.kr co.in com.sg com.hk com.tr ru com.ua co.za',
  pinterest: 'de fr it es co.uk at ch se dk pt ie nz ph jp cl ca com.au com.mx co.kr',
  mercadolibre: 'com com.ar com.mx com.co com.uy com.pe com.ve com.ec cl',
  mercadolivre: 'com.br com',
  shopee: 'com sg co.id com.my ph co.th vn tw com.br com.mx com.co cl pl',
  lazada: 'com sg co.id com.my com.ph co.th vn',
  vinted: 'de fr it es nl be at pl pt cz lt lu se dk fi hu ro sk gr hr ie co.uk',
  allegro: 'pl sk hu',
  etsy: 'de',
  yelp: 'de fr it es nl at ch ie be se dk pt ca co.uk com.au com.br com.mx',
  tripadvisor: 'de fr it es nl at ch ie be se dk pt ca co.uk com.au com.br com.mx in',
  olx: 'com pl pt ro bg ua kz com.br in',
  craigslist: 'com ca',
  jumia: 'com.ng com.gh com.eg co.ke ma ci sn ug dz',
})

/** These give shops names below their own, as `shop.etsy.com`; the host alone is everybody's. */
const platforms = words(`
  etsy.com yandex.com yandex.ru rakuten.co.jp item.rakuten.co.jp rakuten.com tumblr.com wordpress.com wordpress.org blogger.com medium.com substack.com wix.com editorx.com squarespace.com weebly.com godaddy.com
  godaddysites.com shopify.com myshopify.io bigcommerce.com bigcartel.com ecwid.com woocommerce.com prestashop.com webflow.com jimdo.com jimdosite.com
  strikingly.com tilda.cc tilda.ws site123.com webnode.com yola.com duda.co carrd.co gumroad.com payhip.com sellfy.com selz.com storenvy.com tictail.com
  bandcamp.com itch.io deviantart.com livejournal.com typepad.com ghost.org ghost.io hubspot.com mailchimp.com sumup.com sumup.link square.com squareup.com
  shoplazza.com shopline.com shoplineapp.com cafe24.com nuvemshop.com.br tiendanube.com lojaintegrada.com.br tray.com.br shopware.com ionos.de ionos.com
  strato.de one.com hostinger.com shoptet.cz eshop-rychle.cz shoper.pl idosell.com base.shop thebase.in stores.jp color-me-shop.com ameblo.jp fc2.com
  kakao.store smartstore.naver.com wixsite.com company.site square.site mystrikingly.com webador.com webador.de mozello.com zyrosite.com`)

/** Mail providers: what stands behind the @ of a private address. */
const mailProviders = words(`
  gmail.com googlemail.com outlook.com hotmail.com live.com msn.com passport.com hotmail.co.uk hotmail.de hotmail.fr hotmail.it hotmail.es hotmail.nl
  hotmail.be hotmail.com.br live.de live.co.uk live.fr live.it live.nl live.be live.ca live.com.au live.com.mx outlook.de outlook.fr outlook.it
  outlook.es outlook.at outlook.jp outlook.com.br yahoo.com ymail.com rocketmail.com yahoo.de yahoo.co.uk yahoo.fr yahoo.it yahoo.es yahoo.ca yahoo.com.au
  yahoo.com.br yahoo.com.mx yahoo.com.ar yahoo.co.in yahoo.in yahoo.co.jp yahoo.co.id yahoo.com.sg yahoo.com.hk yahoo.com.tw yahoo.com.ph yahoo.com.vn
  yahoo.ie yahoo.gr yahoo.pl yahoo.ro yahoo.se yahoo.no yahoo.dk aol.com aol.de aol.co.uk aim.com verizon.net icloud.com me.com mac.com
  gmx.de gmx.net gmx.at gmx.ch gmx.com gmx.eu gmx.fr web.de t-online.de freenet.de arcor.de online.de mail.de email.de posteo.de posteo.net mailbox.org
  1und1.de vodafone.de kabelmail.de unitybox.de magenta.de aon.at a1.net chello.at bluewin.ch hispeed.ch sunrise.ch swissonline.ch
  orange.fr wanadoo.fr free.fr sfr.fr laposte.net neuf.fr bbox.fr numericable.fr aliceadsl.fr club-internet.fr libero.it virgilio.it tiscali.it alice.it tin.it
  tim.it inwind.it iol.it email.it pec.it aruba.it telefonica.net terra.es ya.com sapo.pt ziggo.nl kpnmail.nl kpnplanet.nl planet.nl home.nl hetnet.nl xs4all.nl
  upcmail.nl casema.nl skynet.be telenet.be proximus.be scarlet.be btinternet.com btopenworld.com virginmedia.com ntlworld.com blueyonder.co.uk sky.com talktalk.net
  tiscali.co.uk tesco.net plusnet.com eircom.net telia.com bredband.net comhem.se spray.se online.no mail.dk tdcadsl.dk stofanet.dk luukku.com elisanet.fi
  kolumbus.fi wp.pl o2.pl onet.pl onet.eu op.pl interia.pl interia.eu poczta.fm gazeta.pl tlen.pl vp.pl seznam.cz centrum.cz email.cz post.cz volny.cz
  centrum.sk azet.sk zoznam.sk freemail.hu citromail.hu t-online.hu abv.bg mail.bg otenet.gr mail.ru bk.ru inbox.ru list.ru internet.ru rambler.ru
  ya.ru yandex.ua ukr.net i.ua meta.ua bigmir.net inbox.lv inbox.lt mail.ee
  comcast.net att.net sbcglobal.net bellsouth.net pacbell.net ameritech.net cox.net charter.net spectrum.net earthlink.net juno.com netzero.net windstream.net
  centurylink.net optonline.net optimum.net roadrunner.com rogers.com bell.net sympatico.ca telus.net videotron.ca
  bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au ozemail.com.au xtra.co.nz mweb.co.za telkomsa.net
  uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com prodigy.net.mx qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com
  139.com 189.cn aliyun.com hanmail.net nate.com ezweb.ne.jp softbank.ne.jp i.softbank.jp nifty.com rediffmail.com sify.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tutamail.com tuta.io tuta.com fastmail.com fastmail.fm hey.com hushmail.com zoho.com zohomail.com
  zohomail.eu runbox.com startmail.com mailfence.com mail.com email.com usa.com post.com europe.com consultant.com duck.com mozmail.com relay.firefox.com
  privaterelay.appleid.com mailinator.com guerrillamail.com 10minutemail.com yopmail.com trashmail.com temp-mail.org sharklasers.com`)

const [sharedWithNames, shared] = [new Set([...services, ...national]), new Set(platforms)]
const mail = new Set(mailProviders)

interface SharedHost {
  host: string
  /** What makes it one: its shops, or its mailboxes. */
  isMail: boolean
}

/** The shared host that a host in normal form is, or is a part of; null for a shop's own. */
function findSharedHost(host: string): SharedHost | null {
  if (shared.has(host)) return { host, isMail: false }
  if (mail.has(host)) return { host, isMail: true }
  for (let part = host; part.includes('.'); part = part.slice(part.indexOf('.') + 1))
    if (sharedWithNames.has(part)) return { host: part, isMail: false }
  return null
}

/** Words of a company's name beside the one that its host has. */
const companyWords = new Set(
  'inc llc ltd limited gmbh ag se plc corp corporation co company group sa sarl srl bv the com net org www online shop store'.split(
    ' ',
  ),
)

/**
 * The fault of a shared host as one of a store of this name; null for a shop's own host. The company itself is a store
 * like others, and is known by its name: `Etsy, Inc.` of etsy.com, `Amazon Germany` of amazon.de. A shop there has another name.
 */
export function describeSharedHost(text: string, host: string, name: string | null): string | null {
  const found = findSharedHost(host)
  if (found === null || (name !== null && isCompany(name, found.host, found.isMail || isPage(text)))) return null
  const what = found.isMail ? 'a mail provider: all of its users' : 'a shared host: all of its shops'
  return `${found.host} is ${what} would become one store`
}

export const sharedHostHint = "give the shop's own domain; the company of the host itself is known by its name"

/** The same for the store of a person: a page of a shared host is not the store of its company. */
export function describeSharedPage(text: string, host: string): string | null {
  return isPage(text) ? describeSharedHost(text, host, null) : null
}

/** Fewer letters begin too many names. */
const shortestBeginning = 3

/** A country behind a name, as in `Virgin Media [UK]`. */
const country = /^[a-z]{2}$/

/** `isExact`: words behind the company's name make it another one, as at etsy.com/shop/mara, which `Etsy Mara` can be. */
function isCompany(name: string, host: string, isExact: boolean): boolean {
  const [label, ...suffix] = host.replaceAll('-', '').split('.') as [string, ...string[]]
  const given = words(name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' '))
  const rest = given.filter((word) => !companyWords.has(word) && !suffix.includes(word) && !country.test(word))
  const names = [given.join(''), rest.join('')]
  if (names.includes(label) || names[0] === `${label}${suffix.join('')}`) return true
  return (
    !isExact && label.length >= shortestBeginning && rest.some((_word, end) => rest.slice(0, end).join('') === label)
  )
}

/** Whether a text names a page of its host. */
function isPage(text: string): boolean {
  const rest = text.trim().replace(/^(?:[a-z][a-z0-9+.-]*:)?[/\\]*/i, '')
  const end = rest.search(/[/\\?#]/)
  return end !== -1 && /[^/\\?#]/.test(rest.slice(end))
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

function expand(suffixes: Record<string, string>): string[] {
  return Object.entries(suffixes).flatMap(([name, list]) => words(list).map((suffix) => `${name}.${suffix}`))
}
