// The layout that follows the brand: logo, card, footer; light, dark and on phones. A later change of the brand shows
// in every email, without a change of the layout.
import type { LayoutFile } from "../resources/workflows/files.ts";

/**
 * Font stacks and colours have a safe grammar, so `raw` cannot end the style sheet. In dark mode, the rules name the
 * elements of the card and are important: blocks have their colour in a style attribute, which would win otherwise.
 * Buttons, which are in no paragraph, keep theirs, because their background stays as well. So does the text in a
 * section or a cell with its own background.
 */
const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>
body { margin: 0; padding: 0; background-color: {{ brand.colors.background }}; }
.page { background-color: {{ brand.colors.background }}; font-family: {{ brand.fontStack | raw }}; font-size: 16px; line-height: 1.6; color: {{ brand.colors.text }}; }
.outer { padding: 32px 16px; }
.head { padding: 0 0 24px; text-align: center; }
.logo { border: 0; height: 40px; width: auto; max-width: 240px; }
.logo-dark { display: none; }
.name { font-size: 20px; font-weight: 700; color: {{ brand.colors.heading }}; }
.card { background-color: {{ brand.colors.surface }}; border-radius: {{ brand.cornerRadius }}px; padding: 40px; color: {{ brand.colors.text }}; }
.card h1 { margin: 0 0 16px; font-size: 26px; line-height: 1.25; color: {{ brand.colors.heading }}; }
.card h2 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; color: {{ brand.colors.heading }}; }
.card h3 { margin: 0 0 8px; font-size: 17px; line-height: 1.35; color: {{ brand.colors.heading }}; }
.card p { margin: 0 0 16px; }
.card a { color: {{ brand.colors.primary }}; }
.card .button { display: inline-block; padding: 12px 28px; border-radius: {{ brand.cornerRadius }}px; background-color: {{ brand.colors.primary }}; color: {{ brand.colors.primaryText }}; font-weight: 600; text-decoration: none; }
.card .code { font-family: Menlo,Consolas,monospace; font-size: 32px; letter-spacing: 6px; color: {{ brand.colors.heading }}; }
.card .facts { width: 100%; border-collapse: collapse; }
.card .facts td, .card .facts th { padding: 10px 0; border-bottom: 1px solid #80808040; text-align: left; vertical-align: top; }
.card .facts .amount { text-align: right; white-space: nowrap; }
.foot { padding: 24px 16px 0; text-align: center; font-size: 13px; line-height: 1.6; color: {{ brand.colors.text }}; }
.foot p { margin: 0 0 8px; }
.foot a { color: {{ brand.colors.text }}; }
@media (prefers-color-scheme: dark) {
body { background-color: {{ brand.colors.backgroundDark }}; }
.page { background-color: {{ brand.colors.backgroundDark }}; color: {{ brand.colors.textDark }}; }
.card { background-color: {{ brand.colors.surfaceDark }}; color: {{ brand.colors.textDark }}; }
.card p, .card li, .card td, .card th, .card ul, .card ol, .card blockquote { color: {{ brand.colors.textDark }} !important; }
.card th { background-color: transparent !important; }
.name, .card h1, .card h2, .card h3, .card .code { color: {{ brand.colors.headingDark }} !important; }
.card p a, .card li a, .card blockquote a { color: {{ brand.colors.primaryDark }} !important; }
.card .button { background-color: {{ brand.colors.primaryDark }} !important; color: {{ brand.colors.primaryTextDark }} !important; }
.card [style*="background-color"] p, .card [style*="background-color"] li, .card [style*="background-color"] td, .card th[style*="background-color"], .card td[style*="background-color"] { color: {{ brand.colors.text }} !important; }
.card [style*="background-color"] h1, .card [style*="background-color"] h2, .card [style*="background-color"] h3 { color: {{ brand.colors.heading }} !important; }
.card [style*="background-color"] p a, .card [style*="background-color"] li a { color: {{ brand.colors.primary }} !important; }
.foot, .foot p, .foot a { color: {{ brand.colors.textDark }}; }
{% if brand.logoDarkUrl %}.logo-light { display: none; }
.logo-dark { display: inline-block; }
{% endif %}}
@media (max-width: 480px) {
.outer { padding: 16px 8px; }
.card { padding: 24px 20px; }
.card h1 { font-size: 22px; }
.card .button { display: block; text-align: center; }
}
</style>
</head>
<body>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="outer" align="center">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px">
{% if brand.logoUrl %}<tr><td class="head" align="center"><img class="logo logo-light" src="{{ brand.logoUrl }}" alt="{{ brand.name }}" height="40">{% if brand.logoDarkUrl %}<img class="logo logo-dark" src="{{ brand.logoDarkUrl }}" alt="{{ brand.name }}" height="40">{% endif %}</td></tr>
{% elsif brand.name != "" %}<tr><td class="head name" align="center">{{ brand.name }}</td></tr>
{% endif %}<tr><td class="card">{{ content }}</td></tr>
<tr><td class="foot" align="center">
{% if brand.socialLinks.size > 0 %}<p>{% for link in brand.socialLinks %}{% unless forloop.first %} · {% endunless %}<a href="{{ link.url }}">{{ link.name }}</a>{% endfor %}</p>
{% endif %}{% if brand.name != "" or brand.address != "" %}<p>{{ brand.name }}{% if brand.name != "" and brand.address != "" %}<br>{% endif %}{{ brand.address | escape | newline_to_br | raw }}</p>
{% endif %}{% if unsubscribeUrl or preferencesUrl %}<p>{% if preferencesUrl %}<a href="{{ preferencesUrl }}">{{ preferencesText }}</a>{% endif %}{% if unsubscribeUrl and preferencesUrl %} · {% endif %}{% if unsubscribeUrl %}<a href="{{ unsubscribeUrl }}">{{ unsubscribeText }}</a>{% endif %}</p>
{% endif %}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;

export const brandLayout = {
  layoutId: "brand",
  name: "Brand",
  editorType: "html",
  body,
} as const satisfies LayoutFile;
