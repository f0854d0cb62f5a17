package inspect

// svgHead is the styles and patterns. Kinds differ by height and pattern, so
// that colours are never needed; media queries, and not variables, because not
// every viewer of SVG knows those.
const svgHead = `<style>
.gapctl-map text{font:12px ui-monospace,"SFMono-Regular","DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}
.gapctl-map .end{text-anchor:end}
.gapctl-map .group{font-size:16px;font-weight:700}
.gapctl-map .strong{font-weight:700}
.gapctl-map .faint,.gapctl-map .note{fill:#59636e}
.gapctl-map .note{font-size:10px}
.gapctl-map .ground{fill:#fff}
.gapctl-map .strip{fill:#f0f2f4}
.gapctl-map .mark{fill:#59636e}
.gapctl-map .break{stroke:#59636e;fill:#fff}
.gapctl-map .done{fill:#009e73}
.gapctl-map .unread{fill:#8c959f}
.gapctl-map .outstanding{fill:#d55e00}
.gapctl-map .rejected{fill:url(#rejected)}
.gapctl-map .lost{fill:url(#lost)}
.gapctl-map .phantom{fill:url(#phantom)}
.gapctl-map .beyond{fill:url(#beyond)}
.gapctl-map .lost-ink{fill:#9b3f86}
.gapctl-map .phantom-ink{fill:#0072b2}
.gapctl-map .rejected-ink{fill:#946200}
.gapctl-map .beyond-ink{fill:#c00000}
.gapctl-map text.ink-lost{fill:#9b3f86}
.gapctl-map text.ink-phantom{fill:#0072b2}
.gapctl-map text.ink-rejected{fill:#946200}
.gapctl-map text.ink-beyond,.gapctl-map text.level-error{fill:#c00000}
.gapctl-map text.ink-unread{fill:#59636e}
.gapctl-map text.level-warn{fill:#946200}
@media screen and (prefers-color-scheme:dark){
.gapctl-map text{fill:#e6edf3}
.gapctl-map .faint,.gapctl-map .note{fill:#9198a1}
.gapctl-map .ground{fill:#0d1117}
.gapctl-map .strip{fill:#1c232c}
.gapctl-map .mark{fill:#9198a1}
.gapctl-map .break{stroke:#9198a1;fill:#0d1117}
.gapctl-map .outstanding{fill:#f5792a}
.gapctl-map .lost-ink{fill:#e08cc4}
.gapctl-map .phantom-ink{fill:#56b4e9}
.gapctl-map .rejected-ink{fill:#e69f00}
.gapctl-map .beyond-ink{fill:#ff6b6b}
.gapctl-map text.ink-lost{fill:#e08cc4}
.gapctl-map text.ink-phantom{fill:#56b4e9}
.gapctl-map text.ink-rejected,.gapctl-map text.level-warn{fill:#e69f00}
.gapctl-map text.ink-beyond,.gapctl-map text.level-error{fill:#ff6b6b}
.gapctl-map text.ink-unread{fill:#9198a1}
}
</style>
<defs>
<pattern id="lost" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="lost-ink" width="3" height="5"/></pattern>
<pattern id="beyond" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect class="beyond-ink" width="3" height="5"/></pattern>
<pattern id="phantom" width="4" height="4" patternUnits="userSpaceOnUse"><circle class="phantom-ink" cx="2" cy="2" r="1.4"/></pattern>
<pattern id="rejected" width="4" height="4" patternUnits="userSpaceOnUse"><rect class="rejected-ink" width="4" height="2.6"/></pattern>
</defs>
`
