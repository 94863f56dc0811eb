//! Tests that the work for a page grows no faster than its length, whatever the page is made of. Work is counted in
//! steps, so a busy machine changes nothing.
//!
//! `GLEANER_LARGE_PAGES=5` also runs five randomly chosen shapes with up to 360,000 nodes each and prints their CPU
//! time.

use std::{cell::RefCell, fmt::Write as _, sync::Arc, thread, time::SystemTime};

use super::Chain;
use crate::{
    ChainConfig, HostList, PageError, PageLimits,
    html::budget::{CpuClock, testing::steps_of},
    main_block::Algorithm,
    output::{Format, Style},
    testing::Lcg,
};

/// What a page repeats, behind what stands before `|`; `#` is a number that differs each time, `~` a sentence.
const PARTS: &[&str] = &[
    "<ul><li>b</ul>",
    "<ul><li><a href=/#>b</a></ul>",
    "<ol><li>~<li>two</ol>",
    "<ul><li>one<ul><li>two</ul></ul>",
    "<li>word #",
    "<li><a href=/#>word #</a>",
    "<ul>|<li>word #",
    "<ul>|<li><a href=/#>word #</a>",
    "<ol>|<li>~",
    "<dl>|<dt>term #<dd>what is said of it",
    "<table>|<tr><td>a<td>#",
    "<table>|<tr><th>a #<td>~",
    "<table><tr>|<td>a",
    "<table>|<form action=/#><tr><td><input name=a></form>",
    "<select>|<option>#",
    "<details>|<summary>word #",
    "<details open>|<p>~",
    "<figure>|<img src=/#.png>",
    "<figure>|<figcaption>word #",
    "<blockquote>|<p>~",
    "<pre>|<span>a</span>\n",
    "<pre>|line #\n",
    "<svg>|<path d=M0>",
    "<svg>|<a href=/#><text>word</text></a>",
    "<math>|<mi>x</mi>",
    "<form>|<label>word <input name=a#></label>",
    "<article>|<p>~",
    "<article><h1>word</h1>|<h2>word #</h2><p>~",
    "<nav>|<a href=/#>word</a>",
    "<div class=post>|<a class=username href=/u/#>Ann</a> <time>3 May</time>",
    "<div class=price>|$ #.00 ",
    "<a href=/x>|<span>word</span>",
    "<h2>|<span>word</span>",
    "<div hidden>|<p>word #",
    "<div><div><div><div><div><div><div><div>|<p>word #",
    "<noscript>|<p>word #",
    "<picture>|<source srcset=/#.webp>",
    "<video>|<source src=/#.mp4>",
    "<dl><dt>term <dd>~</dl>",
    "<dt>term #<dd>what is said of it",
    "<table><tr><td>a<td>b</table>",
    "<table><tr><th>a #<td>b<tr><th>c<td>d</table>",
    "<table><tr><td><table><tr><td>in a cell</table></table>",
    "<tr><td>a<td>b",
    "<td>a cell",
    "<figure><img src=/#.png></figure>",
    "<figure><img src=/#.png><figcaption>what it shows</figcaption></figure>",
    "<figure><a href=/#><img src=/#.png></a><figcaption><a href=/#>a card</a></figcaption></figure>",
    "<div><img src=/#.png><p>a line</p></div>",
    "<img src=/#.png alt=word>",
    "<img data-src=/#.png>",
    "<img><noscript><img src=/#.png></noscript>",
    "<picture><source srcset=/#.webp><img src=/#.png></picture>",
    "<video src=/#.mp4></video>",
    "<audio controls><source src=/#.mp3></audio>",
    "<iframe src=https://example.org/#></iframe>",
    "<svg><path d=M0><text>word</text></svg>",
    "<p>word #",
    "<p>~",
    "<p>~ # <b>and</b> <i>more</i> of <a href=/#>it</a>.",
    "<p><a href=/#>word</a>",
    "<p><a href=/#>word #</a> <a href=/#>word</a>",
    "<a href=/#>word #</a>",
    "<a href=#>1</a><p id=#>a note",
    "<p>~<sup><a href=#fn1>[1]</a></sup>",
    "<p id=fn1>a note",
    "<h1>word</h1>",
    "<h2>word #</h2>",
    "<h2>word #</h2><p>~",
    "<h3><a href=/#>word #</a></h3><p>~",
    "<h2>a</h2><h3>b</h3><h4>c</h4>",
    "<h2>What is it?</h2><p>~",
    "<details><summary>What is # ?</summary><p>~</details>",
    "<summary>word #",
    "<details><summary>word",
    "<button>word</button>",
    "<label>word <input name=a></label>",
    "<form action=/#><input name=q><button>Go</button></form>",
    "<form><label>Message <textarea></textarea></label><button>Send</button></form>",
    "<select><option>one<option>two</select>",
    "<option>one",
    "<fieldset><legend>word</legend><input type=checkbox>#</fieldset>",
    "<input type=checkbox>word #",
    "<article><h2>word #</h2><p>~</article>",
    "<article><h1>word #</h1><a class=author href=/u/#>Ann</a> <time>3 May 2026</time><p>~</article>",
    "<div class=post><a class=username href=/u/#>Ann #</a><time>2026-05-03 10:#</time><div class=text>~</div></div>",
    "<div class=comment><b class=author>Ann</b> <span class=date>3 May 2026</span><blockquote>~</blockquote><p>~</div>",
    "<div class=reply><span class=username>Ann</span><span class=date>3 May</span><p>~<div class=reply>yes</div></div>",
    "<div class=card><a href=/#><img src=/#.png><h3>word #</h3></a><p>~</div>",
    "<div class=card><h3><a href=/#>word</a></h3><span class=price>$ #.00</span></div>",
    "<div class=item><span>label:</span><span>#</span></div>",
    "<div><div>97 %</div><div>online</div></div>",
    "<span class=price>$ 4.#</span>",
    "<div class=product><b>$ #</b><p>~</div>",
    "<blockquote>~</blockquote>",
    "<blockquote><p>Ann said:<p>~</blockquote>",
    "<pre>let a = #;</pre>",
    "<pre><code>let a = #;\n</code></pre>",
    "<code>a#</code> ",
    "<div class=line>let a = #;</div>",
    "<math><mi>x</mi></math>",
    "<math><mfrac><mi>x</mi><mn>#</mn></mfrac></math>",
    "<p>\\(x_#\\)",
    "<div>word #</div>",
    "<div><div>word</div></div>",
    "<div>",
    "<div hidden>word #</div>",
    "<div style='display:none'>word</div>",
    "<div class=ad><a href=https://ads.example/#>word</a></div>",
    "<div class=share><a href=https://facebook.com/sharer#>Share</a></div>",
    "<div id=i#>word</div>",
    "<div class='a# b c'>word</div>",
    "<nav><a href=/#>word</a></nav>",
    "<nav><ul><li><a href=/#>word</a></ul></nav>",
    "<aside><h3>Related</h3><a href=/#>word</a></aside>",
    "<h3>Read also</h3><ul><li><a href=/#>word #</a></ul>",
    "<p>Read also: <a href=/#>another story of bread</a>",
    "<section><h2>word #</h2>~</section>",
    "<header>word</header><main>~</main><footer>word</footer>",
    "<address>Ann #</address>",
    "<br>",
    "word<br>",
    "word<br><br>",
    "<hr>",
    " ",
    "<b>word</b>",
    "<span>word</span> ",
    "<span>a</span>",
    "<span></span>",
    "<!-- # -->",
    "<a name=#></a>",
    "<p><p>",
    "<time datetime=2026-05-03>3 May</time>",
    "By <a rel=author href=/u/#>Ann Lee</a>, 3 May 2026<br>",
    "<meta name=author content=Ann>",
    "<link rel=next href=/#>",
    "<style>.a#{display:none}</style>",
    "<script>x</script>",
    "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"word\"}</script>",
    "<template><p>word</template>",
    "<noscript><p>word</noscript>",
    "<object data=/#><p>word</object>",
    "<ruby>word<rt>word</ruby>",
    "<amp-img src=/#.png></amp-img>",
    "<lite-youtube videoid=a#></lite-youtube>",
    "<ins class=adsbygoogle></ins>",
    "<div role=tabpanel aria-labelledby=t#>word</div><a role=tab id=t#>word</a>",
    "<div class=tabs><button role=tab aria-controls=p#>one</button><div role=tabpanel id=p#>~</div></div>",
];

/// Elements of HTML, each of which is repeated with a word in it.
const TAGS: &str = "a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote br button \
    canvas caption center cite code col colgroup command data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption \
    figure font footer form frame h1 h2 h3 h4 h5 h6 header hgroup hr i iframe image img input ins kbd keygen label legend li link listing \
    main map mark marquee math menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup option output \
    p param picture pre progress q rb rp rt rtc ruby s samp script search section select selectedcontent slot small source spacer span \
    strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp";

const SENTENCE: &str = "The town clock has a single hand, and when it was built nobody needed minutes, so that it points between the hours";

/// How a page is written, besides the ordinary reader page.
fn configs() -> Vec<(&'static str, ChainConfig)> {
    let usual = ChainConfig::default;
    let mut configs = vec![("reader", usual())];
    let mut config = usual();
    config.output.format = Format::Text;
    configs.push(("text", config));
    let mut config = usual();
    config.output.style = Style::Original;
    configs.push(("original", config));
    for (name, algorithm) in Algorithm::ALL.into_iter().filter(|(_, algorithm)| *algorithm != Algorithm::default()) {
        let mut config = usual();
        config.main_block.algorithm = algorithm;
        configs.push((name, config));
    }
    configs
}

/// A page of so many parts, about that many nodes, with text before and behind them or none.
fn page(part: &str, nodes: usize, with_text: bool) -> String {
    let (before, part) = part.split_once('|').unwrap_or(("", part));
    let marks = part.matches('<').count() - part.matches("</").count();
    let texts = part.split('>').filter(|text| !text.starts_with('<') && !text.is_empty()).count();
    let parts = nodes / (marks + texts).max(1);
    let text = if with_text { format!("<p>{}", format!("{SENTENCE}. ").repeat(4)) } else { String::new() };
    let mut html =
        format!("<!DOCTYPE html><title>A page of clocks</title><h1>A page of clocks</h1>{text}<div>{before}");
    for number in 0..parts {
        for (at, piece) in part.split('#').enumerate() {
            if at > 0 {
                let _ = write!(html, "{number}");
            }
            html.push_str(&piece.replace('~', SENTENCE));
        }
    }
    // Whatever is open ends with the page.
    html + "</div>" + &text
}

/// Steps for a page, and the milliseconds of processor time that they took.
fn work(chain: &Arc<Chain>, html: &str) -> (u64, u128) {
    let url = "https://example.org/clocks/page".parse().unwrap();
    let clock = CpuClock::start();
    let (result, steps) = steps_of(|| chain.run(html, &url));
    let is_known = result
        .as_ref()
        .err()
        .is_none_or(|error| !matches!(error, PageError::OutOfTime { .. } | PageError::Panicked { .. }));
    assert!(is_known, "{:?}", result.err());
    (steps, clock.elapsed().as_millis())
}

/// Compares the work for a page with that for one four times as long.
fn compare(name: &str, chain: &Arc<Chain>, part: &str, nodes: usize, wrong: &RefCell<Vec<String>>) {
    /// The work may grow by so much for four times the page: sorting, and steps that are charged in advance.
    const MOST: u64 = 5;
    /// Steps for a node that a short page may save, where it is given up early.
    const SPARED: u64 = 40;
    for with_text in [false, true] {
        let (small, _) = work(chain, &page(part, nodes, with_text));
        let (large, ms) = work(chain, &page(part, 4 * nodes, with_text));
        if nodes > SMALL {
            println!("{name:<15} {small:>10} {large:>11} {ms:>6} ms  {part}");
        }
        if large > MOST * (small + SPARED * nodes as u64) {
            wrong.borrow_mut().push(format!("{name}: {small} steps became {large}: {part:?}"));
        }
    }
}

/// Nodes of the smaller pages. Fewer hide what grows faster behind what a page costs anyhow.
const SMALL: usize = 1500;

fn parts() -> Vec<String> {
    let tags = TAGS.split_whitespace().map(|tag| format!("<{tag}>word</{tag}>"));
    PARTS.iter().map(|part| (*part).to_owned()).chain(tags).collect()
}

fn compare_all(nodes: usize, parts: &[String]) {
    let limits = PageLimits { cpu: std::time::Duration::from_mins(10), ..PageLimits::default() };
    let halves = parts.chunks(parts.len().div_ceil(2));
    let wrong: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = halves
            .map(|parts| {
                scope.spawn(move || {
                    let wrong = RefCell::default();
                    let chains = configs().into_iter().map(|(name, config)| {
                        (name, Arc::new(Chain::new(&config, limits, HostList::default()).unwrap()))
                    });
                    let chains: Vec<_> = chains.collect();
                    for (at, part) in parts.iter().enumerate() {
                        compare("reader", &chains[0].1, part, nodes, &wrong);
                        // Each of the others has its turn.
                        let (name, chain) = &chains[1 + at % (chains.len() - 1)];
                        compare(name, chain, part, nodes, &wrong);
                    }
                    wrong.into_inner()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn work_grows_with_the_page_and_no_faster() {
    let parts = parts();
    assert!(parts.len() > 230, "{}", parts.len());
    compare_all(SMALL, &parts);
}

#[test]
fn work_grows_with_the_largest_pages_and_no_faster() {
    let count = std::env::var("GLEANER_LARGE_PAGES").ok().and_then(|count| count.parse().ok());
    let Some(count) = count else {
        return eprintln!("skipped: GLEANER_LARGE_PAGES=5 would try five shapes of up to 360,000 nodes");
    };
    let mut parts = parts();
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    println!("seed {seed}");
    let mut random = Lcg(seed);
    while parts.len() > count {
        parts.swap_remove(random.below(parts.len()));
    }
    compare_all(90_000, &parts);
}
