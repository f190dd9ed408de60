/** Arm colors differ in lightness too, for color blindness and print. */
const lightTheme = `--page:#f6f7f9;--card:#ffffff;--ink:#15191f;--soft:#596273;--line:#dfe3ea;--quiet:#8b94a3;--input:#6d7788;
--arm-0:#2a63d4;--arm-1:#c25a0a;--arm-2:#0d7f63;--arm-3:#8a3fb8;--arm-4:#b3245a;--arm-5:#5c6b00;--found:#eef2f8`;
const darkTheme = `--page:#0f1216;--card:#181c22;--ink:#e9ecf1;--soft:#a0a9b8;--line:#2b313b;--quiet:#7b8595;--input:#97a1b2;
--arm-0:#79a6ff;--arm-1:#ff9d52;--arm-2:#45cfa8;--arm-3:#cf95f5;--arm-4:#ff86ad;--arm-5:#c3d250;--found:#232932`;

const tones = [0, 1, 2, 3, 4, 5].map((index) => `.arm-${index}{--tone:var(--arm-${index})}`).join("");

export const reportStyle = `
:root{color-scheme:light dark;${lightTheme}}
@media (prefers-color-scheme:dark){:root{${darkTheme}}}
${tones}.quiet{--tone:var(--quiet)}.plain{--tone:var(--ink)}.input{--tone:var(--input)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:1060px;margin:0 auto;padding:40px 24px 64px}
header{padding-bottom:12px}
.kicker{margin:0 0 10px;color:var(--soft);font-size:14px}
h1{margin:0;font-size:clamp(24px,4.2vw,38px);line-height:1.22;letter-spacing:-.015em;font-weight:680;text-wrap:balance}
h1.many{font-size:clamp(21px,3vw,28px);line-height:1.32}
.finding{display:block;padding-left:.62em;position:relative}
.finding .key{position:absolute;left:0;top:.2em;width:.2em;height:.85em;border-radius:2px}
.whole{white-space:nowrap}
.against{margin:22px 0 6px;font-weight:600;color:var(--soft)}
.rest{margin:14px 0 0;font-size:17px;color:var(--soft)}
.facts{display:flex;flex-wrap:wrap;gap:6px 18px;margin:22px 0 0;color:var(--soft);font-size:14px;align-items:center}
.chip{display:inline-flex;align-items:center;gap:7px;color:var(--ink);font-weight:600}
.chip small{font-weight:400;color:var(--soft)}
.key{display:inline-block;width:12px;height:12px;border-radius:3px;background:var(--tone,var(--soft))}
h2{margin:44px 0 12px;font-size:20px;letter-spacing:-.01em}
h2+p{margin:-8px 0 14px}
.note,.hint,h2+p{color:var(--soft)}
.hint{display:block;font-size:13px;font-weight:400;margin:0}
.card,table{background:var(--card);border:1px solid var(--line);border-radius:12px}
.card{margin:0;padding:16px 18px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:14px}
table{width:100%;border-collapse:separate;border-spacing:0;font-size:15px}
th,td{padding:11px 14px;text-align:left;vertical-align:middle;border-top:1px solid var(--line)}
thead th{border-top:0;color:var(--soft);font-size:13px;font-weight:500}
tbody th{font-weight:600}
.number{font-variant-numeric:tabular-nums}
.metrics th[scope=row]{min-width:128px}
.metrics td.number{white-space:nowrap}
.metrics .change{width:36%}
.metrics .change .number{display:block;font-size:13.5px;color:var(--soft);text-align:center}
.badge-cell{min-width:112px}
.metrics .wide{text-align:center}
.badge{display:inline-block;padding:2px 10px;border-radius:13px;font-size:13px;border:1px solid var(--line);color:var(--soft)}
.badge.found{background:var(--found);color:var(--tone,var(--ink));border-color:transparent;font-weight:650}
svg{display:block;overflow:visible;font:12.5px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
.zero{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3}
.grid-line{stroke:var(--line);stroke-width:1}
.tick{fill:var(--soft);text-anchor:middle;font-size:12px}
.row-label{margin:10px 0 0;font-size:13px;color:var(--soft)}.row-label b{color:var(--ink)}.row-label:first-child{margin-top:0}
.band{stroke:var(--tone);stroke-width:5;stroke-linecap:round;stroke-opacity:.45}
.middle{fill:var(--tone);stroke:var(--card);stroke-width:1.5}
.dot{fill:var(--tone);fill-opacity:.55}
.mark{stroke:var(--ink);stroke-width:2}.mark.p90{stroke-dasharray:3 3;stroke-width:1.5}
figcaption b{display:block}figcaption>span{color:var(--soft);font-size:14px}
.card>figcaption{margin-bottom:6px}
.ends{display:flex;justify-content:space-between;gap:12px;color:var(--soft);font-size:12.5px;padding-top:4px}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin:10px 0 0;color:var(--soft);font-size:13px}
.legend span{display:inline-flex;align-items:center;gap:7px}
.key.median,.key.p90{width:0;height:14px;border-radius:0;background:none;border-left:2px solid var(--ink)}
.key.p90{border-left-style:dashed}
.bar-head{display:flex;justify-content:space-between;align-items:baseline}
.bar-head .number{font-size:26px;font-weight:680;letter-spacing:-.01em}
.bar{height:12px;border-radius:6px;background:var(--line);overflow:hidden;margin:6px 0}
.fill{display:block;height:100%;background:var(--tone);border-radius:6px;overflow:hidden}
.why{margin:14px 0 0;color:var(--soft);font-size:14px}
.reasons,.answers,.method{margin:6px 0 0;padding-left:18px;font-size:14px}
.reasons li,.answers li{margin:3px 0}
.count{font-variant-numeric:tabular-nums;color:var(--soft)}
summary{cursor:pointer;color:var(--soft);font-size:14px;margin-top:8px;font-weight:400}
.answers{list-style:none;padding:0;font-weight:400}
.who{font-weight:650;color:var(--tone)}
.tool{display:grid;grid-template-columns:minmax(110px,24%) 1fr;gap:14px;padding:9px 0;border-top:1px solid var(--line);align-items:center}
.tool:first-child{border-top:0;padding-top:0}
code{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.tool-bar{display:grid;grid-template-columns:fit-content(30%) 1fr 136px;gap:10px;align-items:center;font-size:14px;padding:2px 0}
.tool-bar .number{white-space:nowrap}
.tool-arm{color:var(--soft)}
.track{height:12px}.track .fill{border-radius:3px}
.failed{display:block;height:100%;margin-left:auto;background:repeating-linear-gradient(135deg,transparent 0 3px,var(--card) 3px 5px)}
.key.solid{background:var(--soft)}
.key.hatched{background:repeating-linear-gradient(135deg,var(--soft) 0 3px,var(--card) 3px 5px)}
.inputs th[scope=row]{font-weight:500;width:42%}
.inputs td{white-space:nowrap}
.wins{font-weight:700;color:var(--tone)}
.method{color:var(--soft)}.method li{margin:6px 0}
footer{margin-top:28px;color:var(--soft);font-size:13px}
@media (max-width:800px){
main{padding:24px 16px 48px}
table,tbody,tr,td,tbody th{display:block;width:auto}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{padding:12px 14px;border-top:1px solid var(--line)}tbody tr:first-child{border-top:0}
td,tbody th{padding:2px 0;border:0}
td[data-label]{display:flex;justify-content:space-between;gap:12px}
td[data-label]::before{content:attr(data-label);color:var(--soft);font-weight:400}
.metrics .change,.inputs th[scope=row]{width:auto}.badge-cell{padding-top:6px}
.tool{grid-template-columns:1fr;gap:4px}
.tool-bar{grid-template-columns:fit-content(30%) 1fr 124px}
}
@media print{
:root{color-scheme:light;${lightTheme};--page:#fff}
body{font-size:11pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
main{max-width:none;padding:0}
.grid{grid-template-columns:1fr 1fr}
.card,tr,header{break-inside:avoid}h2{break-after:avoid}
}`;
